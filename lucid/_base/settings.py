"""Modules of settings as torch has them: names that are known may be set, others are an AttributeError; `patch`.

    become_settings(__name__, {"max_autotune": False, "triton.cudagraphs": False})

A name with a dot is an attribute of a section, `config.triton.cudagraphs`.
"""

import contextlib
import hashlib
import importlib
import pickle
import sys
import types


class Section:
    """The settings of one section."""

    def __init__(self, whole, name):
        object.__setattr__(self, "_whole", whole)
        object.__setattr__(self, "_prefix", f"{name}.")

    def __getattr__(self, name):
        return self._whole._value(self._prefix + name)

    def __setattr__(self, name, value):
        self._whole._set(self._prefix + name, value)

    def __dir__(self):
        return [n.removeprefix(self._prefix) for n in self._whole._values if n.startswith(self._prefix)]


class _Patch(contextlib.ContextDecorator):
    """Settings that hold inside a block, or in the calls of a function."""

    def __init__(self, settings, changes):
        self._settings, self._changes, self._before = settings, changes, []

    def __enter__(self):
        before = {name: self._settings._value(name) for name in self._changes}
        self._before.append(before)
        for name, value in self._changes.items():
            self._settings._set(name, value)

    def __exit__(self, *trouble):
        for name, value in self._before.pop().items():
            self._settings._set(name, value)


class Settings(types.ModuleType):
    """A module of settings."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._sections[name] if name in self._sections else self._value(name)

    def __setattr__(self, name, value):
        if name.startswith("__"):
            return super().__setattr__(name, value)
        return self._set(name, value)

    def __delattr__(self, name):
        self._set(name, self._defaults[name]) if name in self._defaults else super().__delattr__(name)

    def __dir__(self):
        return [*super().__dir__(), *self._sections, *[n for n in self._values if "." not in n]]

    def _value(self, name):
        if name in self._aliases:
            module, other = self._aliases[name]
            return getattr(importlib.import_module(module), other)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"{self.__name__.replace('lucid.', 'torch.', 1)}.{name} does not exist") from None

    def _set(self, name, value):
        self._value(name)
        if name in self._aliases:
            module, other = self._aliases[name]
            return setattr(importlib.import_module(module), other, value)
        self._values[name] = value

    def patch(self, arg1=None, arg2=None, **changes):
        """with patch(name=value), patch("name", value) or patch({...}): the settings hold inside the block."""
        if isinstance(arg1, dict):
            changes = {**arg1, **changes}
        elif isinstance(arg1, str):
            changes = {arg1: arg2, **changes}
        return _Patch(self, changes)

    def get_config_copy(self):
        """get_config_copy() -> {name: value} of all settings"""
        return dict(self._values)

    shallow_copy_dict = to_dict = get_config_copy

    def get_type(self, name):
        """get_type(name) -> the type of a setting's default"""
        return type(self._defaults[name])

    def load_config(self, maybe_pickled_config):
        """load_config(bytes of save_config, or {name: value}): set those"""
        found = maybe_pickled_config
        for name, value in (pickle.loads(found) if isinstance(found, bytes) else found).items():
            self._set(name, value)

    def save_config_portable(self):
        """save_config_portable() -> {name: value} of the settings that a pickle can hold"""
        return {n: v for n, v in self._values.items() if not n.startswith("_") and not callable(v)}

    def save_config(self):
        """save_config() -> bytes for load_config"""
        return pickle.dumps(self.save_config_portable(), protocol=2)

    def _changed(self):
        """{name: value} of the settings that are not as they were at first."""
        return {n: v for n, v in self._values.items() if v is not self._defaults[n] and v != self._defaults[n]}

    def codegen_config(self):
        """codegen_config() -> a program that sets what differs from the defaults"""
        name = self.__name__.replace("lucid.", "torch.", 1)
        return "\n".join([f"{name}.{n} = {v!r}" for n, v in self._changed().items()])

    def get_hash(self):
        """get_hash() -> bytes that differ when settings do"""
        return hashlib.md5(repr(sorted(self._values.items())).encode()).digest()


def become_settings(name, defaults, aliases=None):
    """Make the module of this name one of these settings. aliases: {name: (module name, its name there)}."""
    module = sys.modules[name]
    sections = {n.rpartition(".")[0] for n in defaults} - {""}
    vars(module).update(
        _values=dict(defaults),
        _defaults=dict(defaults),
        _sections={s: Section(module, s) for s in sections},
        _aliases=aliases or {},
    )
    module.__class__ = Settings
