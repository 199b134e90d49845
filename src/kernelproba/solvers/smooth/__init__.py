"""Smooth convex objectives: IRLS, Newton's method, L-BFGS, and few passes over many rows."""
