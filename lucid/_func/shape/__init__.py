"""Views, and tensors put together, taken apart, turned and repeated."""
