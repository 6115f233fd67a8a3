"""The CPU: every word answered with numpy arrays."""
