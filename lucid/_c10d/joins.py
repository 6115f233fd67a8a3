"""Join: for processes that have different numbers of inputs; a process that is alone has nobody to wait for."""

import abc


class JoinHook:
    """JoinHook(): what a Joinable does while others are not done."""

    def main_hook(self):
        """main_hook(): called for each input that others still have."""

    def post_hook(self, is_last_joiner):
        """post_hook(is_last_joiner): called once all are done."""


class Joinable(abc.ABC):
    """Joinable: a class that has join_hook(), join_device and join_process_group."""

    @abc.abstractmethod
    def __init__(self):
        super().__init__()
        self._join_config = None

    @abc.abstractmethod
    def join_hook(self, **kwargs):
        """join_hook(**kwargs) -> JoinHook"""

    @property
    @abc.abstractmethod
    def join_device(self):
        """join_device: a device"""

    @property
    @abc.abstractmethod
    def join_process_group(self):
        """join_process_group: a ProcessGroup"""


class Join:
    """with Join([joinable ...]): inputs may run out at different times; afterwards post_hook is called."""

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable, self._throw = enable, throw_on_early_termination

    def __enter__(self):
        return None

    def __exit__(self, kind, error, traceback):
        if not self._enable or kind is not None:
            return
        if self._throw:
            raise RuntimeError("Rank 0 exhausted all inputs.")
        for hook in self._hooks:
            hook.post_hook(True)

    @staticmethod
    def notify_join_context(joinable):
        """notify_join_context(joinable) -> None: nobody is told."""
        return None
