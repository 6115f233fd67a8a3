"""Modules of torch's that programs ask rather than use: other devices, settings, formats that lucid lacks.

Each answers truthfully (`torch.cuda.is_available()` is False) or says what it lacks. They are found under torch's
names, `lucid.cuda` for `_probes/cuda`: `lucid/__init__.py` puts this folder on the package's search path.
"""
