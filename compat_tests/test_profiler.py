"""torch.profiler: what is measured, how it is added up, the table, schedules, traces."""

import json
import time

import pytest
import torch
import torch.autograd.profiler_util
from both import same

import lucid
import lucid.autograd.profiler_util


def step(m):
    layer = m.nn.Linear(4, 4)
    x = m.randn(8, 4)
    with m.profiler.record_function("forward"):
        y = m.relu(layer(x)).sum()
    y.backward()


def test_ops_and_nodes_are_seen():
    """Every op and every node that lucid reports is one that torch reports, as often."""
    found = []
    for m in (torch, lucid):
        with m.profiler.profile(activities=[m.profiler.ProfilerActivity.CPU]) as p:
            step(m)
        found.append({e.key: e.count for e in p.key_averages()})
    wanted, got = found
    assert {"forward", "aten::addmm", "aten::relu", "aten::sum", "AddmmBackward0", "SumBackward0"} <= set(got)
    for key, count in got.items():
        assert key in wanted and count <= wanted[key], key
    nodes = {k for k in wanted if k.endswith("Backward0")}
    assert {k: got.get(k) for k in nodes} == {k: wanted[k] for k in nodes}


def test_times_are_measured_and_nested():
    with lucid.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True, with_flops=True) as p:
        with lucid.profiler.record_function("outer"):
            time.sleep(0.02)
            a = lucid.ones(50, 60) @ lucid.ones(60, 70)
            a.add_(1)
    events = {e.name: e for e in p.events()}
    outer, mm, add = events["outer"], events["aten::mm"], events["aten::add_"]
    assert outer.cpu_time_total >= 20e3 and mm.cpu_parent is outer and add in outer.cpu_children
    assert outer.self_cpu_time_total == pytest.approx(outer.cpu_time_total - mm.cpu_time_total - add.cpu_time_total)
    assert mm.input_shapes == [[50, 60], [60, 70]] and mm.flops == 2 * 50 * 60 * 70
    assert mm.cpu_memory_usage == 50 * 70 * 4 == outer.cpu_memory_usage
    assert "test_times_are_measured" in mm.stack[0]
    assert p.key_averages().self_cpu_time_total == pytest.approx(outer.cpu_time_total, rel=1e-6)


def test_results_are_the_same_under_a_profiler():
    def program(m, on):
        x = m.randn(5, 3, requires_grad=True)
        y = m.randn(5, 3)
        with m.profiler.profile() if on else m.enable_grad():
            z = x * 2
            z[0] = y[1]
            z.mul_(y)
            v = z.view(3, 5)
            v.sigmoid_()
            loss = (v.softmax(-1) @ z).square().sum() + m.cat([z, y]).std() + m.add(y, y, out=m.empty(5, 3)).sum()
            loss.backward()
        yield [loss.detach(), x.grad, v.detach()]

    for on in (False, True):
        same(program, on, rtol=1e-5, atol=1e-6, quiet=True)


def test_hooks_and_anomaly_go_with_it():
    x = lucid.ones(3, requires_grad=True)
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.clone()))
    with lucid.profiler.profile() as p:
        y.sum().backward()
    assert len(seen) == 1 and x.grad.tolist() == [2.0] * 3
    assert any(e.key == "MulBackward0" for e in p.key_averages())


def test_nothing_is_left_on():
    from lucid._base.state import PROFILE, UNUSUAL

    before = len(UNUSUAL)
    with pytest.raises(ZeroDivisionError), lucid.profiler.profile():
        1 / 0
    assert not PROFILE and len(UNUSUAL) == before


def test_schedules():
    def program(m, **how):
        steps = m.profiler.schedule(**how)
        yield [str(steps(i)) for i in range(14)]
        done = []
        with m.profiler.profile(schedule=steps, on_trace_ready=lambda p: done.append(p.step_num)) as p:
            for _ in range(12):
                m.ones(2) + 1
                p.step()
        yield done

    for how in (
        {"wait": 1, "warmup": 1, "active": 2},
        {"wait": 0, "warmup": 0, "active": 1, "repeat": 2, "skip_first": 3},
    ):
        same(lambda m, how=how: program(m, **how), quiet=True)


def events_of(m):
    """The same made-up events on both libraries."""
    util = m.autograd.profiler_util
    made = []
    for i, (name, begin, end, shapes) in enumerate(
        [
            ("outer", 0, 5000.5, []),
            ("aten::mm", 10, 1510.25, [[2, 3], [3, 4]]),
            ("aten::mm", 2000, 2300, [[2, 3], [3, 5]]),
        ]
        + [("aten::" + "long" * 20, 3000, 3001.125, []), ("aten::add", 5001, 1.5e6 + 4000, [[2], []])]
    ):
        made.append(util.FunctionEvent(i, name, thread=1, start_us=begin, end_us=end, input_shapes=shapes, stack=[]))
    events = util.EventList(made)
    events._build_tree()
    return events


TABLES = """table() table(sort_by="cpu_time_total") table(sort_by="self_cpu_time_total",row_limit=2) table(header="Head")
    table(top_level_events_only=True) table(max_name_column_width=20) table(time_unit="ms") key_averages().table()
    key_averages(group_by_input_shapes=True).table(sort_by="count")
    key_averages(True).table(max_shapes_column_width=12) key_averages().table(sort_by="cpu_time")""".split()


@pytest.mark.parametrize("call", TABLES)
def test_tables(call):
    same(lambda m: eval(f"e.{call}", {"e": events_of(m)}), quiet=True)


def test_averages():
    def program(m):
        averages = events_of(m).key_averages()
        for e in averages:
            yield [
                e.key,
                e.count,
                e.cpu_time_total,
                e.self_cpu_time_total,
                e.cpu_time,
                e.cpu_time_str,
                e.cpu_time_total_str,
            ]
        total = events_of(m).total_average()
        yield [total.count, total.cpu_time_total]

    same(program, quiet=True)


def test_chrome_trace(tmp_path):
    with lucid.profiler.profile(record_shapes=True) as p:
        step(lucid)
    p.add_metadata("mine", "1")
    p.export_chrome_trace(str(tmp_path / "t.json"))
    trace = json.loads((tmp_path / "t.json").read_text())
    done = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert {"forward", "aten::addmm"} <= {e["name"] for e in done} and trace["mine"] == "1"
    assert all(e["dur"] >= 0 and e["ts"] > 0 for e in done)
    handler = lucid.profiler.tensorboard_trace_handler(str(tmp_path / "d"), use_gzip=True)
    with lucid.profiler.profile(on_trace_ready=handler):
        lucid.ones(2) + 1
    assert [f.name.endswith(".pt.trace.json.gz") for f in (tmp_path / "d").iterdir()] == [True]
    with lucid.autograd.profiler.profile(with_stack=True) as q:
        lucid.ones(2) + 1
    q.export_stacks(str(tmp_path / "s"))
    assert "test_chrome_trace" in (tmp_path / "s").read_text()


def test_record_function_as_a_decorator():
    @lucid.profiler.record_function("f")
    def f():
        return lucid.ones(1) + 1

    with lucid.autograd.profiler.profile() as p:
        f()
        f()
    assert {e.key: e.count for e in p.key_averages()} == {"f": 2, "aten::add": 2}
