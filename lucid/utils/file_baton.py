"""torch.utils.file_baton: a lock that is a file."""

import os
import time
import warnings


class FileBaton:
    """FileBaton(path, wait_seconds=0.1, warn_after_seconds=None): who makes the file works, who finds it waits."""

    def __init__(self, lock_file_path, wait_seconds=0.1, warn_after_seconds=None):
        self.lock_file_path, self.wait_seconds, self.warn_after_seconds = (
            lock_file_path,
            wait_seconds,
            warn_after_seconds,
        )
        self.fd = None

    def try_acquire(self):
        """try_acquire() -> bool: was the file made?"""
        try:
            self.fd = os.open(self.lock_file_path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        return True

    def wait(self):
        """wait(): until the file is gone."""
        began, told = time.monotonic(), self.warn_after_seconds is None
        while os.path.exists(self.lock_file_path):
            time.sleep(self.wait_seconds)
            if not told and time.monotonic() - began > self.warn_after_seconds:
                warnings.warn(
                    f'Waited on lock file "{self.lock_file_path}" for {self.warn_after_seconds} seconds.', stacklevel=2
                )
                told = True

    def release(self):
        """release(): the file goes."""
        if self.fd is not None:
            os.close(self.fd)
        os.remove(self.lock_file_path)
