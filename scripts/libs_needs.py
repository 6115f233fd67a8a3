"""Prints what the installed libraries need and lack, as requirements for pip: all but torch and what brings it in.

Run by the python of the environment that holds the libraries; scripts/libs installs what it prints.
"""

from importlib import metadata

from pip._vendor.packaging.requirements import Requirement

NEVER = {"torch", "torchvision", "torchaudio", "triton", "pytorch-fid"}


def plain(name):
    """A distribution's name as pip compares it."""
    return name.lower().replace("_", "-").replace(".", "-")


def needs():
    """{name: all that is asked of its version} of what is not installed."""
    have = {plain(d.metadata["Name"]) for d in metadata.distributions()}
    found = {}
    for distribution in metadata.distributions():
        for text in distribution.requires or ():
            need = Requirement(text)
            if need.marker is not None and not need.marker.evaluate({"extra": ""}):
                continue
            if plain(need.name) not in have | NEVER:
                found.setdefault(plain(need.name), set()).update(str(s) for s in need.specifier)
    return found


if __name__ == "__main__":
    for name, versions in sorted(needs().items()):
        print(name + ",".join(sorted(versions)))
