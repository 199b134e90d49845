"""How far the rows determine a function: Laplace's approximation, intervals of probabilities, novelty."""
