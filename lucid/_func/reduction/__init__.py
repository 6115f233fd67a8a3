"""Ops over dimensions: sums, means, norms, statistics, scans, softmax."""
