"""Arrays: the dictionary of words that ops are written in, and the libraries that answer them, one folder each."""
