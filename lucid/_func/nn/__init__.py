"""What layers compute: convolution, pooling, normalization, attention, recurrence, losses."""
