"""The least-squares posterior: normal equations, sums over rows, stochastic gradients."""
