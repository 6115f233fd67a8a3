"""Pages with texts that a script makes: a text stands between `<!-- NAME -->` and `<!-- end -->`."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def filled(page, texts):
    """A page's text with all texts as they are now: {name: (language, text)}; no language: it is markdown."""
    for name, (language, text) in texts.items():
        text = text.strip("\n")
        if language is not None:
            text = f"```{language}\n{text}\n```"
        parts = re.split(rf"<!-- {name} -->\n.*?<!-- end -->", page, flags=re.S)
        assert len(parts) == 2, f"{len(parts) - 1} places for {name!r}"
        page = f"<!-- {name} -->\n{text}\n<!-- end -->".join(parts)
    return page


def main(path, texts):
    """Write the page; with `--check` only say whether it is current, and give 1 if not."""
    before = path.read_text()
    after = filled(before, texts)
    if "--check" not in sys.argv[1:]:
        path.write_text(after)
        return 0
    name = path.relative_to(ROOT)
    print(f"{name} is current" if before == after else f"{name} is stale: run {pathlib.Path(sys.argv[0]).name}")
    return int(before != after)
