"""What the classifiers share: checked input, kernels, callbacks, and one path from scores to labels."""
