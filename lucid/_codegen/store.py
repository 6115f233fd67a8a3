"""Bytes kept on this machine between processes, by key: compiled graphs and the like.

    get(key) -> bytes or None
    put(key, content) -> whether it was kept

In the private directory of `cache.py`, so what is found here is one's own. An entry carries its checksum: one that was
cut short, changed or written by another version is as good as absent. All entries together stay below LIMIT bytes; the
longest unused go first.
"""

import hashlib
import os

from .cache import cache_directory, fall_back, objection, read_file, trim, write_file

MAGIC = b"lucid store 1\n"
LIMIT = 2 << 30


def _path(key):
    """The file of a key (any text) in the store's own directory."""
    directory = os.path.join(cache_directory(), "store")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    if (why := objection(directory)) is not None:
        raise OSError(why)
    return os.path.join(directory, hashlib.sha256(key.encode()).hexdigest()[:40])


def _seal(key, content):
    return MAGIC + hashlib.sha256(key.encode() + b"\0" + content).digest()


def get(key):
    """What was put under this key, or None: never part of it, never something else."""
    try:
        path = _path(key)
    except OSError:
        return None
    found = read_file(path)
    if found is None:
        return None
    length = len(MAGIC) + 32
    content = found[length:]
    if found[:length] != _seal(key, content):
        return None
    try:
        os.utime(path)  # used now: trimmed later than others
    except OSError:
        pass
    return content


def put(key, content):
    """Keep bytes under a key, instead of what was there. False when nothing can be written."""
    for last_try in (False, True):
        try:
            path = _path(key)
            write_file(path, _seal(key, content) + content)
            trim(os.path.dirname(path), LIMIT)
            return True
        except OSError as error:
            if last_try:
                return False
            fall_back(cache_directory(), error)
    return False


def clear():
    """Forget everything that was put."""
    directory = os.path.join(cache_directory(), "store")
    for name in os.listdir(directory) if os.path.isdir(directory) else ():
        try:
            os.unlink(os.path.join(directory, name))
        except OSError:
            pass
