"""LBFGS: limited-memory BFGS (Nocedal, 1980) with an optional strong Wolfe line search (Nocedal and Wright, chapter
3)."""

from dataclasses import dataclass
from functools import partial

from .._base import state as modes
from .._func.creation.gfunc import zeros
from .._func.pointwise.complex import view_as_real
from .._func.shape.join import cat
from .._tensor.tensor import contiguous_format
from .for_loop import check_lr
from .optimizer import Optimizer, _to_scalar, evaluated

__all__ = ["LBFGS"]


_KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")  # from step to step


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """The minimum of the cubic through two points with these values and slopes, kept inside the bounds."""
    low, high = bounds if bounds is not None else (x1, x2) if x1 <= x2 else (x2, x1)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


@dataclass
class _Point:
    """A place along the search direction: step, loss, gradient there, and its slope along the direction."""

    t: object
    f: float
    g: object
    slope: object

    def kept(self):
        return _Point(self.t, self.f, self.g.clone(memory_format=contiguous_format), self.slope)


class _WolfeSearch:
    """Find a step that satisfies the strong Wolfe conditions: first bracket it, then zoom in."""

    def __init__(self, objective, direction, start, tolerance_change, max_ls, c1=1e-4, c2=0.9):
        self.objective, self.direction, self.start = objective, direction, start
        self.tolerance, self.max_ls, self.c1, self.c2 = tolerance_change, max_ls, c1, c2
        self.evaluations = 0

    def at(self, t):
        f, g = self.objective(t, self.direction)
        self.evaluations += 1
        return _Point(t, f, g, g.dot(self.direction))

    def too_high(self, point):
        return point.f > self.start.f + self.c1 * point.t * self.start.slope

    def flat(self, point):
        return abs(point.slope) <= -self.c2 * self.start.slope

    def bracket(self, t):
        """([point] when one is good, else two points around a good one; iterations; is it done?)"""
        before, now = (
            _Point(0, self.start.f, self.start.g.clone(memory_format=contiguous_format), self.start.slope),
            self.at(t),
        )
        for i in range(self.max_ls):
            if self.too_high(now) or (i > 1 and now.f >= before.f):
                return [before, now.kept()], i, False
            if self.flat(now):
                return [now], i, True
            if now.slope >= 0:
                return [before, now.kept()], i, False
            t = _cubic_interpolate(
                before.t,
                before.f,
                before.slope,
                now.t,
                now.f,
                now.slope,
                bounds=(now.t + 0.01 * (now.t - before.t), now.t * 10),
            )
            before, now = now.kept(), self.at(t)
        first = _Point(0, self.start.f, self.start.g, self.start.slope)
        return [first, now], self.max_ls, False

    def inside(self, points, stuck):
        """(a step inside the bracket, was it too close to an end?): close twice in a row, it is moved away from
        there."""
        a, b = points
        t = _cubic_interpolate(a.t, a.f, a.slope, b.t, b.f, b.slope)
        low, high = min(a.t, b.t), max(a.t, b.t)
        margin = 0.1 * (high - low)
        if min(high - t, t - low) >= margin:
            return t, False
        if not (stuck or t >= high or t <= low):
            return t, True
        return (high - margin if abs(t - high) < abs(t - low) else low + margin), False

    def run(self, t):
        points, i, done = self.bracket(t)
        best, worst = (0, 1) if points[0].f <= points[-1].f else (1, 0)
        extent, stuck = self.direction.abs().max(), False
        while not done and i < self.max_ls:
            if abs(points[1].t - points[0].t) * extent < self.tolerance:
                break
            t, stuck = self.inside(points, stuck)
            now = self.at(t)
            i += 1
            if self.too_high(now) or now.f >= points[best].f:
                points[worst] = now.kept()
                best, worst = (0, 1) if points[0].f <= points[1].f else (1, 0)
                continue
            if self.flat(now):
                done = True
            elif now.slope * (points[worst].t - points[best].t) >= 0:
                points[worst] = points[best]
            points[best] = now.kept()
        return points[best]


def _value(loss):
    """A loss as a number, whether the closure gave a tensor or one already."""
    return loss.item() if hasattr(loss, "item") else float(loss)


class LBFGS(Optimizer):
    """LBFGS(params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
    line_search_fn=None)

    step(closure) runs up to max_iter iterations, calling closure() for loss and gradients up to max_eval times
    (max_iter * 5 / 4). One group of parameters only. line_search_fn: None (a step of lr) or "strong_wolfe".
    """

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
    ):
        check_lr(lr)
        super().__init__(
            params,
            dict(
                lr=lr,
                max_iter=max_iter,
                max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
                tolerance_grad=tolerance_grad,
                tolerance_change=tolerance_change,
                history_size=history_size,
                line_search_fn=line_search_fn,
            ),
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params, self._numel_cache = self.param_groups[0]["params"], None

    def _numel(self):
        if self._numel_cache is None:
            self._numel_cache = sum(p.numel() * (2 if p.is_complex() else 1) for p in self._params)
        return self._numel_cache

    def _gather_flat_grad(self):
        """All gradients as one vector."""
        parts = []
        for p in self._params:
            part = zeros(p.numel(), dtype=p.dtype, device=p.device) if p.grad is None else p.grad.reshape(-1)
            parts.append(view_as_real(part).reshape(-1) if part.is_complex() else part)
        return cat.fn(parts, 0)

    def _add_grad(self, step_size, update):
        """Move all parameters along a vector."""
        offset = 0
        for p in self._params:
            p = view_as_real(p) if p.is_complex() else p
            n = p.numel()
            p.add_(
                update[offset : offset + n].view(p.shape),
                alpha=step_size.item() if hasattr(step_size, "item") else step_size,
            )
            offset += n

    def _clone_param(self):
        return [p.clone(memory_format=contiguous_format) for p in self._params]

    def _set_param(self, params_data):
        for p, data in zip(self._params, params_data, strict=True):
            p.copy_(data)

    def _directional_evaluate(self, closure, x, t, d):
        """(loss, gradient) at x + t * d, where x are the parameters now."""
        self._add_grad(t, d)
        loss = _value(evaluated(closure))
        gradient = self._gather_flat_grad()
        self._set_param(x)
        return loss, gradient

    def _direction(self, state, work, gradient, history_size):
        """The quasi-Newton direction; the history grows by the last step (two-loop recursion)."""
        if state["n_iter"] == 1:
            work.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return gradient.neg()
        changes, steps, inverses = work["old_dirs"], work["old_stps"], work["ro"]
        y, s = gradient.sub(work["prev_flat_grad"]), work["d"].mul(work["t"])
        ys = y.dot(s)
        if ys > 1e-10:
            if len(changes) == history_size:
                changes.pop(0), steps.pop(0), inverses.pop(0)
            changes.append(y), steps.append(s), inverses.append(1.0 / ys)
            work["H_diag"] = ys / y.dot(y)
        if "al" not in state:
            state["al"] = [None] * history_size
        weights, q = state["al"], gradient.neg()
        for i in range(len(changes) - 1, -1, -1):
            weights[i] = steps[i].dot(q) * inverses[i]
            q.add_(changes[i], alpha=-weights[i].item())
        r = q.mul(work["H_diag"])
        for i in range(len(changes)):
            r.add_(steps[i], alpha=(weights[i] - changes[i].dot(r) * inverses[i]).item())
        return r

    def step(self, closure):
        """step(closure) -> the loss at the start: several iterations, each with one or more calls of closure()."""
        before = modes.grad_enabled()
        modes.set_grad_enabled(False)
        try:
            return self._step(closure)
        finally:
            modes.set_grad_enabled(before)

    def _step(self, closure):
        group = self.param_groups[0]
        lr, max_iter, tolerance = _to_scalar(group["lr"]), group["max_iter"], group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = evaluated(closure)
        loss, calls = _value(first_loss), 1
        state["func_evals"] += 1
        gradient = self._gather_flat_grad()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first_loss
        work = {name: state.get(name) for name in _KEPT}
        for n in range(1, max_iter + 1):
            state["n_iter"] += 1
            d = work["d"] = self._direction(state, work, gradient, group["history_size"])
            if work["prev_flat_grad"] is None:
                work["prev_flat_grad"] = gradient.clone(memory_format=contiguous_format)
            else:
                work["prev_flat_grad"].copy_(gradient)
            work["prev_loss"] = loss
            t = work["t"] = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(d)
            if slope > -tolerance:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                objective = partial(self._directional_evaluate, closure, self._clone_param())
                search = _WolfeSearch(objective, d, _Point(0, loss, gradient, slope), 1e-9, group["max_eval"] - calls)
                found = search.run(t)
                loss, gradient, t, used = found.f, found.g, found.t, search.evaluations
                work["t"] = t
                self._add_grad(t, d)
            else:
                self._add_grad(t, d)
                if n != max_iter:
                    loss, used = _value(evaluated(closure)), 1
                    gradient = self._gather_flat_grad()
            calls += used
            state["func_evals"] += used
            if (
                n == max_iter
                or calls >= group["max_eval"]
                or gradient.abs().max() <= group["tolerance_grad"]
                or d.mul(t).abs().max() <= tolerance
                or abs(loss - work["prev_loss"]) < tolerance
            ):
                break
        state.update(work)
        return first_loss
