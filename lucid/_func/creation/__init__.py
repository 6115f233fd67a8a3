"""Tensors out of nothing: factories, Python data, random numbers and the generator they are drawn from."""
