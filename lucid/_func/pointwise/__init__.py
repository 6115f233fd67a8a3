"""Ops that work element by element: arithmetic, comparison, selection, special functions, activations."""
