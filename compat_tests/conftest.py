"""`--all`: generated tests try every example instead of a seeded sample; `--seed N`: another sample."""

import collections
import signal

import pytest

import lucid._dynamo

Examples = collections.namedtuple("Examples", "seed all")
Examples.some = lambda self, few, many: many if self.all else few


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="generated tests try every example")
    parser.addoption("--seed", type=int, default=0, help="the seed of generated examples")


@pytest.fixture(autouse=True, scope="session")
def interrupts_arrive():
    """Children do not ignore an interrupt, as they would in a shell's background job, whose processes inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a handler of ours is the default for a child
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def examples(pytestconfig):
    """Which examples a generated test tries: .seed, .all, and .some(few, many), the number of them."""
    return Examples(pytestconfig.getoption("seed"), pytestconfig.getoption("all"))


@pytest.fixture(autouse=True)
def faults_are_seen(monkeypatch):
    """A fault of the compiler's own fails a test; for users the program runs on as Python."""
    monkeypatch.setattr(lucid._dynamo.config, "raise_internal_errors", True)
