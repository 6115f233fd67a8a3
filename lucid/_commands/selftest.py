"""`python -m lucid selftest`: does lucid compute on this machine what torch computed? golden.json has
torch's results, so torch is not needed."""

import importlib
import json
import pathlib
import time
import traceback
import warnings

from .golden_programs import PROGRAMS, results

GOLDEN = pathlib.Path(__file__).with_name("golden.json")
# lucid agrees with torch to the rounding of float32 sums, carried on through a few steps of training.
RELATIVE, ABSOLUTE = 1e-4, 2e-5


def difference(got, want, at=""):
    """Where two results differ, in words, or None."""
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return f"{at or 'the result'}: {len(want)} values expected"
        found = (difference(g, w, f"{at}[{n}]") for n, (g, w) in enumerate(zip(got, want)))
        return next((d for d in found if d is not None), None)
    if isinstance(want, float) and isinstance(got, (int, float)):
        same = abs(got - want) <= ABSOLUTE + RELATIVE * abs(want)
    else:
        same = got == want
    return None if same else f"{at}: {got!r} where torch has {want!r}"


def run(name, want, lucid):
    """What is wrong with a program's results, or None."""
    try:
        return difference(results(name, lucid), want)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"


def main(arguments):
    """Run every program; exit code 1 when one differs."""
    if arguments:
        print("usage: python -m lucid selftest")
        return 0 if arguments[0] in ("-h", "--help") else 2
    warnings.simplefilter("ignore")
    lucid, started = importlib.import_module("lucid"), time.perf_counter()
    golden = json.loads(GOLDEN.read_text())
    failed = 0
    for name in PROGRAMS:
        wrong = run(name, golden[name], lucid)
        failed += wrong is not None
        print(f"{name.replace('_', ' '):26} {'ok' if wrong is None else 'WRONG: ' + wrong}")
    seconds = time.perf_counter() - started
    print(f"{len(PROGRAMS) - failed} of {len(PROGRAMS)} as torch {golden['torch']} has them, in {seconds:.1f} s")
    if failed:
        print("`python -m lucid doctor` prints what a report of this should hold")
    return int(bool(failed))
