"""Evidence of sparse Bayesian models: the relevance vector machine."""
