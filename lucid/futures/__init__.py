"""torch.futures: results that come later; here they are set by whoever made the Future."""

import threading

__all__ = ["Future", "collect_all", "wait_all"]


class Future:
    """Future(): `set_result` or `set_exception` once, `wait` and `value` from any thread, `then` for what follows."""

    def __init__(self, *, devices=None):
        self._ready, self._callbacks = threading.Event(), []
        self._result = self._error = None

    def __class_getitem__(cls, item):
        return cls

    def done(self):
        """done() -> bool"""
        return self._ready.is_set()

    def wait(self):
        """wait() -> the result, once there; raises the error that was set."""
        self._ready.wait()
        return self.value()

    def value(self):
        """value() -> the result; raises the error that was set."""
        if self._error is not None:
            raise self._error
        return self._result

    def _finish(self):
        if self._ready.is_set():
            raise RuntimeError("Future can only be marked completed once")
        self._ready.set()
        for callback in self._callbacks:
            callback(self)

    def set_result(self, result):
        """set_result(result)"""
        if not self._ready.is_set():
            self._result = result
        self._finish()

    def set_exception(self, result):
        """set_exception(error)"""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        if not self._ready.is_set():
            self._error = result
        self._finish()

    def add_done_callback(self, callback):
        """add_done_callback(f): call f(self) when done, or now if it is."""
        if self.done():
            callback(self)
        else:
            self._callbacks.append(callback)

    def then(self, callback):
        """then(f) -> Future of f(self)"""
        after = Future()

        def run(done):
            try:
                after.set_result(callback(done))
            except Exception as error:
                after.set_exception(error)

        self.add_done_callback(run)
        return after


def collect_all(futures):
    """collect_all(futures) -> Future of the list, done when all are."""
    everything, left = Future(), [len(futures)]
    if not futures:
        everything.set_result([])

    def one(_):
        left[0] -= 1
        if not left[0]:
            everything.set_result(futures)

    for f in futures:
        f.add_done_callback(one)
    return everything


def wait_all(futures):
    """wait_all(futures) -> list of their results"""
    return [f.wait() for f in collect_all(futures).wait()]
