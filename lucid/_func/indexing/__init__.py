"""Elements read and written by position: x[i], gather, take, sort, search, embeddings."""
