"""ATen ops that lucid has under other names."""
