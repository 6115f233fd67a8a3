"""The directory of what lucid compiled on this machine for this user: private, bounded, replaced when unusable.

cache_directory()          -> path: $LUCID_CACHE or the user's cache directory, else one for this process alone
read_file(path)            -> bytes or None
write_file(path, content)  -> written aside, then renamed: whole or not at all
trim(directory)            -> the longest unused files go when there are more than LIMIT bytes
"""

import atexit
import os
import shutil
import stat
import sys
import tempfile
import time

from .._base.state import warn_once

LIMIT = 2 << 30
_own = {}  # the directory of this process, where the user's cannot be used
_scanned = {}  # when each directory was last looked through


def _wanted():
    """Where the cache should be."""
    path = os.environ.get("LUCID_CACHE")
    if path:
        return path
    home = os.path.expanduser("~")
    base = (
        os.path.join(home, "Library", "Caches")
        if sys.platform == "darwin"
        else os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    )
    return os.path.join(base, "lucid")


def objection(path):
    """Why code from this directory must not be run, or None: others could have put it there."""
    found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a directory"
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid != os.geteuid():
        return f"it belongs to another user (number {found.st_uid})"
    if found.st_mode & stat.S_IWOTH:
        return f"everybody may write to it (chmod 700 {path})"
    if found.st_mode & stat.S_IWGRP and found.st_gid != os.getegid():
        return f"a group may write to it (chmod 700 {path})"
    return None


def own_directory(but=None):
    """A directory of this process alone, which goes when it ends; another one than `but`."""
    if _own.get("pid") != os.getpid() or not os.path.isdir(_own["path"]) or _own["path"] == but:
        _own.update(pid=os.getpid(), path=tempfile.mkdtemp(prefix="lucid-"))
        atexit.register(_remove, os.getpid(), _own["path"])
    return _own["path"]


def fall_back(path, why):
    """This process goes on with a directory of its own instead of this one; says so once. OSError without."""
    if _own.get("used") and path != _own["path"] and _own["pid"] == os.getpid() and os.path.isdir(_own["path"]):
        return
    own_directory(but=path)
    _own["used"] = True
    warn_once(
        f"the cache {path} cannot be used: {why}. What is compiled now serves this process alone; "
        "set LUCID_CACHE to a private directory that can be written, and all processes will share it"
    )


def is_kept():
    """Will later processes find what is put into the cache?"""
    return not (_own.get("used") and _own["pid"] == os.getpid())


def _remove(pid, path):
    if pid == os.getpid():  # a forked child leaves its parent's alone
        shutil.rmtree(path, ignore_errors=True)


def cache_directory():
    """Where compiled libraries are kept: $LUCID_CACHE, or the user's cache directory; private to the user.

    A directory that others could write to is not used, nor one that cannot be made: then it is a temporary
    one for this process.
    """
    if _own.get("used") and os.path.isdir(_own["path"]):
        return _own["path"]
    path = _wanted()
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        why = objection(path)
    except OSError as error:
        why = error
    if why is None:
        return path
    fall_back(path, why)
    return _own["path"]


def read_file(path):
    """The bytes of a file, or None when it cannot be read."""
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return None


def write_file(path, content):
    """Give a file this content: readers see the old one or the new one, never a part. OSError when it cannot be."""
    descriptor, aside = tempfile.mkstemp(prefix="new-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as f:
            f.write(content)
        os.replace(aside, path)
    except BaseException:
        try:
            os.unlink(aside)
        except OSError:
            pass
        raise


def _listing(directory):
    """(time, size, path) of the entries; what a killed process left behind more than a day ago is removed."""
    entries = []
    with os.scandir(directory) as found:
        for entry in found:
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if entry.name.startswith(("work-", "new-")):
                if time.time() - about.st_mtime > 86400:
                    shutil.rmtree(entry.path, ignore_errors=True) if entry.is_dir() else _unlink(entry.path)
            elif entry.is_file(follow_symlinks=False):
                entries.append((about.st_mtime, about.st_size, entry.path))
    return entries


def _unlink(path):
    try:
        os.unlink(path)
    except OSError:
        pass


def trim(directory, limit=None, every=60.0):
    """Remove the files that were longest unused until the rest takes less than three quarters of the limit.

    Looks at most once in `every` seconds; a file that another process is using stays open to it.
    """
    limit = LIMIT if limit is None else limit
    if time.monotonic() - _scanned.get(directory, -1e9) < every:
        return
    _scanned[directory] = time.monotonic()
    try:
        entries = _listing(directory)
    except OSError:
        return
    total = sum(size for _, size, _ in entries)
    if total <= limit:
        return
    for _, size, path in sorted(entries):
        _unlink(path)
        total -= size
        if total <= 0.75 * limit:
            break
