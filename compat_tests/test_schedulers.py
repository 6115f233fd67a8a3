"""Learning rate schedules and averaged models beside torch: every rate, every state, every warning and error."""

import math

import pytest
from both import same, same_outcome, told

import lucid

S = "optim.lr_scheduler"


def optimizer(m, name="SGD", **options):
    params = [m.ones(2, requires_grad=True), m.zeros(1, requires_grad=True)]
    return getattr(m.optim, name)([{"params": params[:1], "lr": 0.5}, {"params": params[1:]}], **{"lr": 0.2, **options})


class Falling:
    """A schedule function with a state."""

    def __init__(self):
        self.rate = 0.9

    def __call__(self, epoch):
        return self.rate**epoch


MOMENTUM = dict(momentum=0.9)
SCHEDULES = {
    "lambda": lambda L, o: L.LambdaLR(o, lambda e: 0.9**e),
    "lambdas": lambda L, o: L.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (e + 1)]),
    "lambda object": lambda L, o: L.LambdaLR(o, Falling()),
    "multiplicative": lambda L, o: L.MultiplicativeLR(o, lambda e: 0.95),
    "step": lambda L, o: L.StepLR(o, 3, gamma=0.5),
    "multi": lambda L, o: L.MultiStepLR(o, [2, 5, 5, 9], gamma=0.5),
    "constant": lambda L, o: L.ConstantLR(o, 0.5, 4),
    "linear": lambda L, o: L.LinearLR(o, 0.3, 0.8, 6),
    "exponential": lambda L, o: L.ExponentialLR(o, 0.9),
    "polynomial": lambda L, o: L.PolynomialLR(o, 7, 2.0),
    "cosine": lambda L, o: L.CosineAnnealingLR(o, 5, 0.01),
    "restarts": lambda L, o: L.CosineAnnealingWarmRestarts(o, 3),
    "restarts longer": lambda L, o: L.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "cyclic": lambda L, o: L.CyclicLR(o, 0.1, 1.0, 3, 5),
    "cyclic 2": lambda L, o: L.CyclicLR(o, 0.1, [1.0, 2.0], 3, mode="triangular2"),
    "cyclic exp": lambda L, o: L.CyclicLR(o, 0.1, 1.0, 3, mode="exp_range", gamma=0.9),
    "cyclic fn": lambda L, o: L.CyclicLR(o, 0.1, 1.0, 3, scale_fn=lambda x: 1 / x),
    "cyclic constant momentum": lambda L, o: L.CyclicLR(o, 0.1, 1.0, 3, cycle_momentum=False),
    "one cycle": lambda L, o: L.OneCycleLR(o, 1.0, total_steps=20),
    "one cycle 3": lambda L, o: L.OneCycleLR(
        o, [1.0, 2.0], epochs=4, steps_per_epoch=5, three_phase=True, anneal_strategy="linear"
    ),
    "sequential": lambda L, o: L.SequentialLR(
        o, [L.ConstantLR(o, 0.1, 3), L.ExponentialLR(o, 0.9), L.CosineAnnealingLR(o, 4)], [3, 7]
    ),
    "nested": lambda L, o: L.SequentialLR(
        o, [L.SequentialLR(o, [L.LinearLR(o, 0.1, 1.0, 2), L.StepLR(o, 2)], [2]), L.ExponentialLR(o, 0.9)], [6]
    ),
    "chained": lambda L, o: L.ChainedScheduler([L.ConstantLR(o, 0.1, 3), L.ExponentialLR(o, 0.9)]),
}


def plain_state(state):
    out = {}
    for key, value in state.items():
        if key == "_scale_fn_ref" or callable(value):
            continue
        if isinstance(value, dict):
            value = plain_state(value)
        elif key == "_schedulers":
            value = [plain_state(v) for v in value]
        out[key] = value
    return out


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_schedule(name, kind):
    def program(m):
        o = optimizer(m, kind, **(MOMENTUM if kind == "SGD" else {}))
        s = SCHEDULES[name](m.optim.lr_scheduler, o)
        rates = []
        for _ in range(14):
            rates.append([s.get_last_lr(), [(g["lr"], g.get("momentum"), g.get("betas")) for g in o.param_groups]])
            o.step()
            s.step()
        return rates, plain_state(s.state_dict()), sorted(s.state_dict()), [sorted(g) for g in o.param_groups]

    same_outcome(program, name=name)


@pytest.mark.parametrize("name", SCHEDULES)
def test_resumed(name):
    def program(m):
        first, second = (optimizer(m, **MOMENTUM) for _ in range(2))
        a, b = (SCHEDULES[name](m.optim.lr_scheduler, o) for o in (first, second))
        first.step(), second.step()
        for _ in range(4):
            a.step()
        b.load_state_dict(a.state_dict())
        second.load_state_dict(first.state_dict())
        rates = []
        for _ in range(5):
            a.step(), b.step()
            rates.append((a.get_last_lr(), b.get_last_lr()))
        return rates

    same_outcome(program, name=name)


@pytest.mark.parametrize(
    "name", ["step", "multi", "constant", "linear", "exponential", "polynomial", "cosine", "lambda", "restarts longer"]
)
@pytest.mark.filterwarnings("ignore")
def test_by_epoch(name):
    def program(m):
        o = optimizer(m)
        s = SCHEDULES[name](m.optim.lr_scheduler, o)
        o.step()
        rates = []
        for epoch in (4, 1, 9, 0):
            s.step(epoch)
            rates.append(s.get_last_lr())
        return rates, s.last_epoch

    same(program, name=name)


@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(patience=1, cooldown=2, factor=0.5),
        dict(mode="max", patience=0),
        dict(threshold_mode="abs", threshold=0.5, patience=1),
        dict(mode="max", threshold_mode="abs", threshold=0.1, patience=1, min_lr=[0.1, 0.05]),
    ],
)
def test_plateau(options):
    def program(m):
        o = optimizer(m)
        s = m.optim.lr_scheduler.ReduceLROnPlateau(o, **options)
        rates = []
        for value in (3, 2, 2.5, 1.9, 1.95, 1.99, m.tensor(4.0), 5, 6, 7, 8, 9, 10, 11):
            o.step()
            s.step(value)
            rates.append(s.get_last_lr())
        state = s.state_dict()
        s.load_state_dict(state)
        return rates, plain_state(state), s.in_cooldown

    same(program)


def test_tensor_learning_rates_are_filled():
    def program(m):
        o = m.optim.SGD([m.ones(1)], lr=m.tensor(0.5))
        rate = o.param_groups[0]["lr"]
        s = m.optim.lr_scheduler.ExponentialLR(o, 0.5)
        o.step()
        s.step()
        return rate is o.param_groups[0]["lr"], rate, s.get_last_lr(), s.base_lrs

    same(program)


ERRORS = {
    "no optimizer": lambda L, o: L.StepLR(3, 1),
    "resume": lambda L, o: L.StepLR(o, 1, last_epoch=3),
    "lambdas": lambda L, o: L.LambdaLR(o, [lambda e: 1]),
    "not callable": lambda L, o: L.MultiplicativeLR(o, 3),
    "constant": lambda L, o: L.ConstantLR(o, 1.5),
    "linear start": lambda L, o: L.LinearLR(o, 0),
    "linear end": lambda L, o: L.LinearLR(o, 1.0, 2.0),
    "sequential none": lambda L, o: L.SequentialLR(o, [], []),
    "sequential count": lambda L, o: L.SequentialLR(o, [L.StepLR(o, 1)], [2]),
    "sequential type": lambda L, o: L.SequentialLR(o, [3], []),
    "sequential plateau": lambda L, o: L.SequentialLR(o, [L.ReduceLROnPlateau(o)], []),
    "chained none": lambda L, o: L.ChainedScheduler([]),
    "cyclic mode": lambda L, o: L.CyclicLR(o, 0.1, 1, mode="no"),
    "cyclic lengths": lambda L, o: L.CyclicLR(o, [0.1], 1),
    "one cycle": lambda L, o: L.OneCycleLR(o, 1.0),
    "one cycle steps": lambda L, o: L.OneCycleLR(o, 1.0, total_steps=-1),
    "one cycle epochs": lambda L, o: L.OneCycleLR(o, 1.0, epochs=0, steps_per_epoch=2),
    "one cycle strategy": lambda L, o: L.OneCycleLR(o, 1.0, 5, anneal_strategy="no"),
    "one cycle pct": lambda L, o: L.OneCycleLR(o, 1.0, 5, pct_start=2),
    "restarts": lambda L, o: L.CosineAnnealingWarmRestarts(o, 0),
    "restarts mult": lambda L, o: L.CosineAnnealingWarmRestarts(o, 1, 0),
    "restarts eta": lambda L, o: L.CosineAnnealingWarmRestarts(o, 1, 1, "a"),
    "plateau factor": lambda L, o: L.ReduceLROnPlateau(o, factor=1.0),
    "plateau mode": lambda L, o: L.ReduceLROnPlateau(o, mode="no"),
    "plateau threshold": lambda L, o: L.ReduceLROnPlateau(o, threshold_mode="no"),
    "plateau lr": lambda L, o: L.ReduceLROnPlateau(o, min_lr=[1]),
    "no momentum": lambda L, o: L.CyclicLR(o, 0.1, 1.0),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    same_outcome(
        lambda m: (
            type(
                ERRORS[name](m.optim.lr_scheduler, optimizer(m, "Adagrad" if name == "no momentum" else "SGD"))
            ).__name__
        ),
        name=name,
    )


def test_beyond_the_end_of_one_cycle():
    def program(m):
        o = optimizer(m)
        s = m.optim.lr_scheduler.OneCycleLR(o, 1.0, total_steps=3)
        for _ in range(5):
            o.step()
            s.step()

    same_outcome(program)


@pytest.mark.parametrize(
    "program",
    [
        lambda m: m.optim.lr_scheduler.StepLR(optimizer(m), 1).step(),
        lambda m: m.optim.lr_scheduler.StepLR(optimizer(m), 1).get_lr(),
        lambda m: [(o.step(), s.step(3)) for o in [optimizer(m)] for s in [m.optim.lr_scheduler.StepLR(o, 1)]],
        lambda m: [
            (setattr(o, "step", lambda: None), s.step())
            for o in [optimizer(m)]
            for s in [m.optim.lr_scheduler.StepLR(o, 1)]
        ],
        lambda m: m.optim.lr_scheduler.ReduceLROnPlateau(optimizer(m)).step(1, epoch=3),
    ],
)
def test_warnings(program):
    same(lambda m: told(program, m)[1:])


def test_old_name():
    assert issubclass(lucid.optim.lr_scheduler._LRScheduler, lucid.optim.lr_scheduler.LRScheduler)

    class Mine(lucid.optim.lr_scheduler._LRScheduler):
        def get_lr(self):
            return [base / (self.last_epoch + 1) for base in self.base_lrs]

    o = optimizer(lucid)
    s = Mine(o)
    o.step()
    s.step()
    assert s.get_last_lr() == [0.25, 0.1]


# ---- averaged models


def model(m):
    m.manual_seed(0)
    return m.nn.Sequential(m.nn.Linear(3, 4), m.nn.BatchNorm1d(4), m.nn.Linear(4, 1))


def averaged(m, **options):
    S = m.optim.swa_utils
    choice = options.pop("fn", None)
    if choice == "ema":
        options["multi_avg_fn"] = S.get_ema_multi_avg_fn(0.9)
    elif choice == "swa":
        options["multi_avg_fn"] = S.get_swa_multi_avg_fn()
    elif choice == "one ema":
        options["avg_fn"] = S.get_ema_avg_fn(0.9)
    net = model(m)
    mean = S.AveragedModel(net, **options)
    for i in range(4):
        with m.no_grad():
            for p in net.parameters():
                p.add_(0.1 * (i + 1))
        net(m.ones(5, 3) * m.arange(5.0).reshape(5, 1))
        mean.update_parameters(net)
    return mean


@pytest.mark.parametrize(
    "options",
    [{}, dict(fn="ema"), dict(fn="swa"), dict(fn="one ema"), dict(use_buffers=True), dict(use_buffers=True, fn="ema")],
)
def test_averaged_model(options):
    same(lambda m: averaged(m, **options).state_dict(), rtol=1e-5, atol=1e-6)


def test_update_bn():
    def program(m):
        net = model(m)
        loader = [m.arange(15.0).reshape(5, 3) * i for i in range(3)]
        m.optim.swa_utils.update_bn(loader, net)
        m.optim.swa_utils.update_bn([(x, 0) for x in loader], net)
        return net[1].running_mean, net[1].running_var, net[1].momentum, net.training

    same(program, rtol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(anneal_epochs=3, anneal_strategy="linear"),
        dict(anneal_epochs=0),
        dict(anneal_strategy="no"),
        dict(anneal_epochs=-1),
    ],
)
def test_swalr(options):
    def program(m):
        o = optimizer(m)
        s = m.optim.swa_utils.SWALR(o, swa_lr=[0.05, 0.01], **options)
        rates = []
        for _ in range(12):
            o.step()
            s.step()
            rates.append([round(r, 12) for r in s.get_last_lr()])
        return rates, sorted(s.state_dict())

    same_outcome(program)


def test_swa_errors():
    same_outcome(lambda m: m.optim.swa_utils.get_ema_avg_fn(2.0))
    same_outcome(lambda m: m.optim.swa_utils.AveragedModel(m.nn.Linear(1, 1), avg_fn=max, multi_avg_fn=max))
    assert math.isclose(lucid.optim.swa_utils.get_swa_avg_fn()(1.0, 3.0, 1), 2.0)
