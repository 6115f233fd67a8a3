"""Python's search for garbage while modules are loaded: nothing that they make is any, and looking for some would take
a quarter of the time."""

import gc


class Loading:
    """From its making to `done()` nothing is searched for; what was made by then counts as old, as after a search."""

    def __init__(self):
        self.collects = gc.isenabled()
        gc.disable()

    def done(self):
        """The modules are there."""
        if not gc.get_freeze_count():  # else a program has put something aside, which it would get back
            gc.freeze()
            gc.unfreeze()
        if self.collects:
            gc.enable()


__all__ = ["Loading"]
