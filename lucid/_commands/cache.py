"""`python -m lucid cache`: what was compiled on this machine for this user, and how to be rid of it."""

import os

from .._codegen.cache import cache_directory

USAGE = "usage: python -m lucid cache [clear | build]"


def main(arguments):
    """Show the cache, clear it, or compile the kernels that most programs use."""
    if arguments not in ([], ["clear"], ["build"]):
        print(USAGE)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    directory = cache_directory()
    if arguments == ["build"]:
        from .usual_calls import build

        print(f"{build()} kernels of usual calls are compiled")
    found = list(_files(directory))
    if arguments == ["clear"]:
        for path in found:
            os.unlink(path)
        print(f"cleared {directory}: {_size(found)}")
        return 0
    print(f"{directory}: {_size(found)}")
    print("LUCID_CACHE names another directory; LUCID_NATIVE=0 runs without native kernels")
    return 0


def _files(directory):
    for folder, _, names in os.walk(directory):
        for name in names:
            yield os.path.join(folder, name)


def _size(paths):
    """How many libraries and other files there are, and what they take."""
    sizes = [os.path.getsize(path) for path in paths if os.path.exists(path)]
    libraries = sum([path.endswith(".so") for path in paths])
    return f"{libraries} compiled libraries, {len(paths) - libraries} other files, {sum(sizes) / 2**20:.1f} MiB"
