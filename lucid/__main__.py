"""`python -m lucid script.py args`: run an unchanged torch program on lucid. The work is in `lucid._launcher`."""

import sys


def _ours():
    """The launcher, or a clear message when the package around this file is not the one it belongs to.

    PyPI has an unrelated package named `lucid`; installed beside this one it overwrites our `__init__.py` and
    leaves this file in place.
    """
    import lucid

    try:
        from lucid import _launcher
    except ImportError:
        _launcher = None
    if _launcher is None or not hasattr(lucid, "Tensor"):
        sys.exit(
            f"lucid: the package at {lucid.__file__} is not lucid-torch but an unrelated one of the same name.\n"
            "lucid: pip uninstall lucid; pip install --force-reinstall lucid-torch"
        )
    return _launcher


if __name__ == "__main__":
    _ours().main()
