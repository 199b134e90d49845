"""The benchmark matrix: problems × contestants, and how time grows with n, d and c."""
