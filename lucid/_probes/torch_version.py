"""torch.torch_version: a version text that compares with texts, tuples and packaging's Version by meaning."""

import re

from .version import __version__ as _text

__all__ = ["TorchVersion"]

# PEP 440: epoch, release, pre-release, post-release, development release, local label.
_PATTERN = (
    r"v?(?:(\d+)!)?(\d+(?:\.\d+)*)[-_.]?(?:(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?"
    r"(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?"
    r"(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?"
)
_STAGE = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


def _key(text):
    """What orders versions as PEP 440 does, or None when the text is not a version."""
    match = re.fullmatch(_PATTERN, text.strip(), re.IGNORECASE)
    if match is None:
        return None
    epoch, release, stage, n, bare_post, post, post_n, dev, dev_n, local = match.groups()
    numbers = [int(p) for p in release.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    has_post = post is not None or bare_post is not None
    if stage:
        stage = stage.lower()
        pre = (1, _STAGE.get(stage, stage), int(n or 0))
    else:  # a bare development release comes before its pre-releases, a final one after them
        pre = (0, "", 0) if dev and not has_post else (2, "", 0)
    label = tuple((1, int(p), "") if p.isdigit() else (0, 0, p) for p in re.split(r"[-_.]", (local or "").lower()) if p)
    return (
        int(epoch or 0),
        tuple(numbers),
        pre,
        (1, int(bare_post or post_n or 0)) if has_post else (0, 0),
        (0, int(dev_n or 0)) if dev else (1, 0),
        label,
    )


def _text_of(other):
    if isinstance(other, str):
        return other
    if hasattr(other, "release"):  # packaging.version.Version
        return str(other)
    return ".".join(str(part) for part in other)


class TorchVersion(str):
    """TorchVersion(text): `TorchVersion("2.13.0") >= (2, 0)`, `> "1.9"`, `== Version("2.13.0")`; text that is no
    version compares as text."""

    __slots__ = ()
    __hash__ = str.__hash__

    def _compare(self, other, method):
        mine, theirs = _key(self), _key(_text_of(other))
        if mine is None or theirs is None:
            return getattr(str, method)(self, other)
        return getattr(mine, method)(theirs)

    def __lt__(self, other):
        return self._compare(other, "__lt__")

    def __le__(self, other):
        return self._compare(other, "__le__")

    def __gt__(self, other):
        return self._compare(other, "__gt__")

    def __ge__(self, other):
        return self._compare(other, "__ge__")

    def __eq__(self, other):
        return self._compare(other, "__eq__")

    def __ne__(self, other):
        return not self._compare(other, "__eq__")


__version__ = TorchVersion(_text)
