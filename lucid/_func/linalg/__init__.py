"""Products of matrices, their factors, and linear systems."""
