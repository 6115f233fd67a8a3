"""What `python -m lucid` does besides running programs: `check`, `doctor` and `selftest`, each a file here."""
