"""A model as a small HTTP service: rows in JSON in, probabilities, sets of labels and reasons out."""
