"""The device `meta`: every word answered with shapes, strides and element types alone."""
