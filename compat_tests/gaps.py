"""The list of what does not pass yet, `known_gaps.txt`: it may only shrink.

A line is `<check> <name>: <reason>`, such as `values linalg.eig: complex eigenvectors are not there yet`. A test that is
listed must fail; when it passes it fails the run until its line is taken out.
"""

import functools
import pathlib

import pytest

LIST = pathlib.Path(__file__).parent / "known_gaps.txt"


@functools.cache
def known():
    """{check and name: reason}"""
    found = {}
    for line in LIST.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            key, colon, reason = line.partition(": ")
            assert colon and reason.strip(), f"{LIST.name}: a line needs a reason: {line!r}"
            assert key not in found, f"{LIST.name}: {key!r} stands there twice"
            found[key.strip()] = reason.strip()
    return found


def expect(check, name, run):
    """run() must pass, unless `check name` is a known gap: then it must fail."""
    key = f"{check} {name}"
    if key not in known():
        return run()
    try:
        run()
    except Exception as trouble:
        pytest.xfail(f"known gap: {known()[key]} ({type(trouble).__name__})")
    pytest.fail(f"{key!r} passes now: take it out of {LIST.name}")
