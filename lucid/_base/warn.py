"""Warnings that point at the program's line, however many functions of lucid's lie between."""

import os
import sys
import warnings

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_WRITTEN = "/<lucid>/"  # functions that lucid wrote itself


def warn(message, category=UserWarning) -> None:
    """warnings.warn for the innermost line that is not lucid's."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_HOME, _WRITTEN)):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
