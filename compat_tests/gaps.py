"""The list of what does not pass yet, `known_gaps.txt`: it may only shrink.

A line is `<check> <name>: <reason>`, such as `values linalg.eig: complex eigenvectors are not there yet`. A test that is
listed must fail; when it passes it fails the run until its line is taken out. `<check> <name> (before 3.12)` and
`(from 3.12)` are lines for some versions of Python only.
"""

import functools
import pathlib
import re
import sys

import pytest

LIST = pathlib.Path(__file__).parent / "known_gaps.txt"


@functools.cache
def known():
    """{check and name: reason}"""
    found = {}
    for line in LIST.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            key, colon, reason = line.partition(": ")
            key, applies = _for_this_python(key)
            assert colon and reason.strip(), f"{LIST.name}: a line needs a reason: {line!r}"
            assert key not in found, f"{LIST.name}: {key!r} stands there twice"
            if applies:
                found[key.strip()] = reason.strip()
    return found


def _for_this_python(key):
    """(the key without a version, does it hold for the version that runs?)"""
    if (versioned := re.fullmatch(r"(.*) \((before|from) 3\.(\d+)\)", key)) is None:
        return key, True
    name, when, minor = versioned.groups()
    return name, (sys.version_info[1] < int(minor)) == (when == "before")


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
