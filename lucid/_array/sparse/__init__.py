"""Sparse arrays, COO and compressed rows or columns, and the table that answers the words for them."""
