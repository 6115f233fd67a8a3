"""Random numbers, torch's to the bit."""
