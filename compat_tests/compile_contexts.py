"""Programs for torch.compile (compile_programs.py): autocast, inference_mode, modes of gradients."""

import contextlib
import functools

from compile_programs import C, G, N, X, program


@program([X])
def autocast_as(torch):
    def f(x):
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16, enabled=False, cache_enabled=False):
            y = x * 2
        return y + 1

    return f


@program([X])
def autocast_of_amp(torch):
    def f(x):
        with torch.amp.autocast("cpu", enabled=False):
            y = x * 2
        return y + 1

    return f


@program([X])
def autocast_of_cuda(torch):
    def f(x):
        with torch.amp.autocast_mode.autocast("cuda", enabled=False):
            y = x * 2
        return y + 1

    return f


@program([X])
def autocast_of_cpu_amp(torch):
    def f(x):
        with torch.cpu.amp.autocast(enabled=False):
            y = x * 2
        return y + 1

    return f


@program([X])
def autocast_of_cuda_amp(torch):
    def f(x):
        with torch.cuda.amp.autocast(enabled=False):
            y = x * 2
        return y + 1

    return f


@program([X])
def autocast_without_cuda(torch):
    def f(x):
        with torch.autocast("cuda"):
            y = x.reshape(1, 3) @ x.reshape(3, 1)
        return y, y.dtype

    return f


@program([X])
def autocast_from_outside(torch):
    a = torch.autocast("cpu", enabled=False)

    def f(x):
        with a:
            y = x * 2
        return y + 1

    return f


@program([X])
def autocast_decorator(torch):
    @torch.autocast("cpu", enabled=False)
    def g(x):
        return x * 2

    def f(x):
        return g(x) + 1

    return f


@program([X])
def autocast_decorated(torch):
    @torch.autocast("cpu", enabled=False)
    def g(x):
        return x * 2

    return g


@program([X])
def autocast_decorates_inside(torch):
    def f(x):
        @torch.autocast("cpu", enabled=False)
        def g(x):
            return x * 2

        return g(x) + 1

    return f


@program([X])
def autocast_nested(torch):
    def f(x):
        with torch.autocast("cpu", enabled=False):
            y = x * 2
            with torch.autocast("cpu", enabled=False), torch.no_grad():
                y = y * 2
        return y + 1

    return f


@program([X])
def autocast_break(torch):
    def f(x):
        with torch.autocast("cpu", enabled=False):
            y = x * 2
            print("a", torch.is_grad_enabled(), torch.is_autocast_enabled("cpu"))
            y = y + 1
        return y * 3

    return f


@program([X])
def autocast_return(torch):
    def f(x):
        with torch.autocast("cpu", enabled=False):
            return x * 2

    return f


@program([X])
def autocast_raise(torch):
    def f(x):
        try:
            with torch.autocast("cpu", enabled=False):
                y = x * 2
                raise ValueError("x")
        except ValueError:
            y = x * 3
        return y

    return f


@program([X])
def autocast_twice(torch):
    def f(x):
        c = torch.autocast("cpu", enabled=False)
        with c:
            y = x * 2
        with c:
            y = y * 3
        return y + 1

    return f


@program([X])
def inference_mode_off(torch):
    def f(x):
        with torch.inference_mode(False):
            y = x * 2
        return y + 1

    return f


@program([X])
def inference_mode_break(torch):
    def f(x):
        with torch.inference_mode():
            y = x * 2
            print("b", torch.is_inference_mode_enabled(), torch.is_grad_enabled())
            z = y + 1
        return z, y.is_inference()

    f.after = lambda r, *a: (r[0].clone(), r[1], r[0].is_inference())
    return f


@program([X])
def inference_decorator(torch):
    @torch.inference_mode()
    def g(x):
        return x * 2

    def f(x):
        return g(x)

    f.after = lambda r, *a: (r.clone(), r.is_inference())
    return f


@program([X])
def inference_decorated(torch):
    @torch.inference_mode()
    def g(x):
        return x * 2

    g.after = lambda r, *a: (r.clone(), r.is_inference())
    return g


@program([X])
def inference_decorated_plainly(torch):
    @torch.inference_mode
    def g(x):
        return x * 2

    g.after = lambda r, *a: (r.clone(), r.is_inference())
    return g


@program([G(3)])
def inference_nested(torch):
    def f(x):
        with torch.inference_mode():
            y = x * 2
            with torch.enable_grad():
                z = y * 3
            with torch.inference_mode(False):
                w = x * 4
        return y + 1, z + 1, w + 1

    f.after = lambda r, *a: [(q.clone(), q.is_inference(), q.requires_grad) for q in r]
    return f


@program([G(3)])
def inference_and_gradients(torch):
    def f(x):
        with torch.inference_mode():
            y = x * 2
        return y, x * y.shape[0], torch.is_grad_enabled()

    f.after = lambda r, *a: (r[0].clone(), r[0].is_inference(), r[0].requires_grad, r[1])
    return f


@program([G(3)])
def gradients_nested(torch):
    def f(x):
        with torch.no_grad():
            y = x * 2
            with torch.enable_grad():
                z = x * 3
            w = x * 4
        with torch.set_grad_enabled(False):
            v = x * 5
        return y, z, w, v

    return f


@program([G(3)])
def gradient_decorators_inside(torch):
    def f(x):
        @torch.no_grad()
        def g(x):
            return x * 2

        @torch.inference_mode()
        def h(x):
            return x * 2

        return g(x) + 1, h(x)

    f.after = lambda r, *a: (r[0].clone(), r[1].clone())
    return f


@program([X])
def inference_from_outside(torch):
    a = torch.inference_mode()

    def f(x):
        with a:
            y = x * 2
        with a:
            y = y * 2
        return y

    f.after = lambda r, *a: (r.clone(), r.is_inference())
    return f


@program([X])
def inference_loop(torch):
    def f(x):
        for i in range(3):
            with torch.inference_mode():
                x = x * 2
                print("in")
                x = x + 1
        return x

    f.after = lambda r, *a: (r.clone(), r.is_inference())
    return f


@program([G(3)], [X], [X])
def modes_mixed_with_breaks(torch):
    def f(x):
        with torch.no_grad():
            a = x * 2
            with torch.inference_mode():
                b = x * 3
                with torch.no_grad():
                    c = x * 4
                    print(torch.is_grad_enabled(), "!")
                    d = x * 5
                e = x * 6
                print(torch.is_grad_enabled(), "!")
            g = x * 7
            print(torch.is_grad_enabled(), "!")
        h = x * 8
        return a, b, c, d, e, g, h

    f.after = lambda r, *a: [(q.clone(), q.is_inference(), q.requires_grad) for q in r]
    return f


@program([X])
def inference_in_a_generator(torch):
    @contextlib.contextmanager
    def cm():
        with torch.inference_mode():
            yield 3

    def f(x):
        with cm() as k:
            y = x * k
        return y + 1

    f.after = lambda r, *a: (r.clone(), r.is_inference())
    return f


@program([X])
def inference_on_a_stack(torch):
    def f(x):
        with contextlib.ExitStack() as s:
            s.enter_context(torch.inference_mode())
            y = x * 2
        return y + 1

    f.after = lambda r, *a: (r.clone(), r.is_inference())
    return f


@program([X, C(True)], [X, C(False)], [X, C(True)])
def autocast_or_not(torch):
    def f(x, on):
        with torch.autocast("cpu", enabled=False) if on else contextlib.nullcontext():
            y = x * 2
        return y + 1

    return f


@program([X], [N(3)])
def branch_in_autocast(torch):
    def f(x):
        with torch.autocast("cpu", enabled=False):
            y = x * 2
            if y.sum() > 0:
                y = y + 1
            else:
                y = y - 1
        return y * 3

    return f


@program([X])
def wraps_inside(torch):
    def f(x):
        def deco(fn):
            @functools.wraps(fn)
            def inner(*a):
                return fn(*a) + 1

            return inner

        @deco
        def g(x):
            "doc"
            return x * 2

        return g(x) + 1, g.__name__, g.__doc__

    return f


@program([X])
def record_function_inside(torch):
    def f(x):
        with torch.profiler.record_function("hello"):
            y = x * 2
        return y + 1

    return f


@program([X])
def autocast_casts(torch):
    w = torch.full((3, 3), 0.3)

    def f(x):
        with torch.autocast("cpu"):
            y = torch.nn.functional.linear(x.reshape(1, -1), w[:, : x.numel()])
            on = torch.is_autocast_enabled("cpu")
        return y + 1 if on else y, torch.exp(y)

    return f


@program([X])
def autocast_casts_in_float16(torch):
    def f(x):
        with torch.autocast("cpu", torch.float16, cache_enabled=False):
            y = torch.outer(x, x)
            y = y @ y
            with torch.autocast("cpu", enabled=False):
                z = y.float() @ y.float()
            u = torch.stack([y, z])
        return y, z, u, y.float() @ z

    return f


@program([X, X])
def autocast_around_a_graph(torch):
    def f(x):
        return torch.outer(x, x) @ torch.outer(x, x)

    compiled = []

    def g(x):
        compiled.append(len(compiled))
        with torch.autocast("cpu", enabled=len(compiled) % 2 == 1):
            return f(x)

    return g


@program([X])
def autocast_breaks_where_it_casts(torch):
    def f(x):
        a = torch.outer(x, x)
        with torch.autocast("cpu"):
            y = a @ a
            print("in", torch.is_autocast_enabled("cpu"))
            z = y @ a
        return z, a @ a

    return f


@program([X])
def autocast_decorator_casts(torch):
    @torch.autocast("cpu")
    def product(x):
        return torch.outer(x, x) @ torch.outer(x, x)

    return lambda x: product(x) * 2
