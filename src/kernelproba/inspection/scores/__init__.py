"""Scores of stated probabilities, and their intervals."""
