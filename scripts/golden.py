"""Writes lucid/_commands/golden.json: what torch computes in the programs of `python -m lucid selftest`. `--check` only
compares, to rounding."""

import json
import pathlib
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lucid._commands.golden_programs import PROGRAMS, results  # noqa: E402
from lucid._commands.selftest import GOLDEN, difference  # noqa: E402


def main():
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    made = {"torch": torch.__version__.split("+")[0]}
    made.update((name, results(name, torch)) for name in PROGRAMS)
    if "--check" in sys.argv:
        golden = json.loads(GOLDEN.read_text())
        stale = [n for n in made if n not in golden or difference(made[n], golden[n], n)]
        print(f"golden.json is stale: {' '.join(stale)}" if stale else "golden.json is up to date")
        return int(bool(stale))
    lines = ",\n".join(f'"{name}": {json.dumps(value)}' for name, value in made.items())
    GOLDEN.write_text("{\n" + lines + "\n}\n")
    print(f"wrote {GOLDEN.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
