"""What a Tensor has beside ops: conversions, copies, questions; and names that lucid lacks."""
