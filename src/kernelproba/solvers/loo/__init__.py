"""Leave-one-out predictions from one fit: ridge, logistic, softmax and density estimates."""
