"""What `python -m lucid` does besides running programs: `cache`, `check`, `doctor` and `selftest`, each a file here."""
