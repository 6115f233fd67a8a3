"""Memory of tensors that processes share, beside torch: queues and pipes, `share_memory_`, views and graphs."""

import time

import pytest
from both import same, same_outcome


def _add_one(m, get, put):
    t = get()
    t += 1
    put((t, m.nn.Parameter(m.ones(3)), m.ones(2, 3).t(), m.empty(0), m.tensor(1.5)))
    get()


def _wait_for_answer(process, is_there):
    """A child that died fails the test; it would hold it up for ever."""
    while not is_there():
        assert process.is_alive(), process.exitcode
        time.sleep(0.005)


def test_queues_and_pipes_share_memory():
    def program(m):
        context = m.multiprocessing.get_context("fork")
        there, back = context.Queue(), context.SimpleQueue()
        here, other = context.Pipe()
        for get, put, send, receive, is_there in (
            (there.get, back.put, there.put, back.get, lambda: not back.empty()),
            (other.recv, other.send, here.send, here.recv, here.poll),
        ):
            process = context.Process(target=_add_one, args=(m, get, put))
            process.start()
            big = m.arange(10.0)
            send(big[2:])
            _wait_for_answer(process, is_there)
            got = receive()
            send(0)  # torch's child must live until its memory has been taken over
            process.join()
            yield big, got, [t.is_shared() for t in got], got[0].data_ptr() == big[2:].data_ptr(), process.exitcode
            got[0].zero_()
            yield big

    same(program, looks="kind requires_grad stride offset")


def test_shared_memory():
    def program(m):
        model = m.nn.Linear(2, 2)
        early, part = model.weight.data, model.weight.detach()[1:].data
        x = m.arange(6.0).share_memory_()
        yield x.is_shared(), x[1:].is_shared(), x.clone().is_shared(), m.ones(2).is_shared(), x
        yield model.share_memory() is model, model.weight.is_shared(), model.weight.data.is_shared()
        yield m.UntypedStorage._new_shared(8).is_shared(), m.empty(0).share_memory_().is_shared()
        process = m.multiprocessing.get_context("fork").Process(target=_fill, args=(model, x[2:4]))
        process.start()
        process.join()
        yield model.weight.tolist(), early, part, early.is_shared(), x, process.exitcode
        (model.weight.sum() * x[0]).backward()
        yield model.weight.grad.is_shared()

    same(program)


@pytest.mark.parametrize("when", ["before", "between", "after"])
def test_shared_memory_in_a_graph(when):
    """Sharing moves the memory; who saved it sees later writes all the same."""

    def program(m):
        w, x = m.ones(3, requires_grad=True), m.ones(3, requires_grad=True)
        for step in {"before": "sxw", "between": "xsw", "after": "xws"}[when]:
            if step == "s":
                w.share_memory_()
            elif step == "x":
                y = w * x
            else:
                with m.no_grad():
                    w.mul_(2)
        yield w, w._version
        y.sum().backward()

    same_outcome(program, text=60)


def test_views_follow_to_shared_memory():
    def program(m):
        c = m.tensor([1 + 2j, 3])
        j = c.conj()
        r, i, d = c.real, j.imag, c.data
        c.share_memory_()
        c.mul_(2)
        yield c, j, r, i, d
        j.fill_(1j)
        yield c, r, i, d, [t.is_shared() for t in (j, r, i, d)]
        b = m.arange(6.0)
        v = b[2:]
        q = v.view(2, 2)
        b.share_memory_()
        q.zero_()
        yield b, v, v._version, v._is_view(), v.data_ptr() - b.data_ptr()
        h = m.ones(4, dtype=m.bfloat16)
        part = h[1:3]
        part.share_memory_()
        h.mul_(3)
        yield h, part, part.storage_offset(), h.is_shared()

    same(program)


def _fill(model, x):
    x.fill_(7)
    model.weight.data.fill_(3)
