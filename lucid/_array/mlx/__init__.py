"""The devices `mlx` and `mps`: every word answered with mlx arrays. Loaded on first use."""
