"""DataPipes: their elements, lengths and errors are torch's."""

import pytest
import torch
import torch.utils.data.datapipes.iter
import torch.utils.data.datapipes.map
from both import attempt, same

import lucid
import lucid.utils.data.datapipes.iter
import lucid.utils.data.datapipes.map

PIPES = """w(range(7)).map(lambda_x:x+1) w(range(7)).filter(lambda_x:x%2==0) w(range(7)).batch(3) w(range(7)).batch(3,drop_last=True)
    w(range(7)).batch(3).unbatch() w(range(7)).batch(2).batch(2).unbatch(unbatch_level=-1) w(range(7)).batch(2).unbatch(3)
    w(range(3)).concat(w(range(2))) w(range(3)).zip(w("abcd")) w(range(3)).mux(w("abcd")) w(range(9)).shuffle()
    w(range(9)).shuffle(buffer_size=3) w(range(9)).shuffle().set_shuffle(False) w(range(9)).shuffle().set_seed(3)
    w(range(9)).sharding_filter() w(range(9)).groupby(lambda_x:x%3) w(range(9)).groupby(lambda_x:x%3,group_size=2)
    w(range(9)).groupby(lambda_x:x%3,buffer_size=4,group_size=3,drop_remaining=True,keep_key=True)
    w(range(9)).groupby(lambda_x:x%3,buffer_size=4) w([(1,2),(3,4)]).map(lambda_x:x*10,input_col=1)
    w([(1,2),(3,4)]).map(lambda_x,y:x+y,input_col=[0,1]) w([(1,2),(3,4)]).map(lambda_x:x*10,input_col=1,output_col=0)
    w([(1,2),(3,4)]).map(lambda_x:x*10,input_col=1,output_col=-1) w([{"a":1}]).map(lambda_x:x*10,input_col="a")
    w([(1,2),(3,4)]).filter(lambda_x:x>2,input_col=0) w(range(4)).filter(lambda_x:x) w(range(4)).map(len,output_col=1)
    w(range(4)).batch(0) w(range(4)).nothing i.Concater() i.Zipper([1]) i.Sampler(w(range(4))) w(range(4)).fork(0)
    i.Sampler(w(range(4)),d.RandomSampler) w(range(4)).batch(2).collate() w(iter(range(3)),deepcopy=False)
    s(range(7)).map(lambda_x:x+1) s(range(7)).batch(3) s(range(7)).batch(3,drop_last=True) s(range(3)).concat(s("ab"))
    s(range(3)).zip(s("abcd")) s(range(9)).shuffle() s(range(9)).shuffle(indices=[1,3,5]) s({"a":1,"b":2}).map(str)""".split()


@pytest.mark.parametrize("text", PIPES)
def test_elements(text):
    text = text.replace("lambda_", "lambda ")

    def program(m):
        i, p = m.utils.data.datapipes.iter, m.utils.data.datapipes.map
        given = {"w": i.IterableWrapper, "s": p.SequenceWrapper, "i": i, "d": m.utils.data}

        def run():
            pipe = eval(text, given)
            if isinstance(pipe, m.utils.data.MapDataPipe) and "{" not in text:
                return [pipe[k] for k in range(len(pipe))], len(pipe), attempt(lambda: pipe[99])
            if "{" in text and "s(" in text:
                return pipe["a"], len(pipe)
            found = list(pipe)
            return found, attempt(len, pipe), list(pipe) == found or None, repr(pipe)

        result = attempt(run)
        yield (
            [type(result).__name__, str(result).partition("\n")[0].split(", got")[0]]
            if isinstance(result, Exception)
            else result
        )

    same(program, looks="", quiet=True, reword=lambda text: text.partition("(from")[0])


def test_children():
    def program(m):
        w = m.utils.data.datapipes.iter.IterableWrapper
        a, b = w(range(5)).fork(2)
        yield [list(a), list(b), list(zip(a, b, strict=True)), len(a)]
        c, d, e = w(range(9)).demux(3, lambda x: x % 3)
        yield [list(c), list(d), list(e)]
        f, g = w([1, 2, None, 4]).demux(2, lambda x: None if x is None else x % 2, drop_none=True)
        yield [list(f), list(g)]
        h, j = w(range(9)).fork(2, buffer_size=2)
        yield type(attempt(list, h)).__name__
        k, n = w(range(9)).demux(2, lambda x: 5)
        yield attempt(list, k)

    same(program, looks="", quiet=True, reword=lambda text: text.partition("buffer size")[0])


def test_one_iterator_at_a_time():
    def program(m):
        pipe = m.utils.data.datapipes.iter.IterableWrapper(range(5))
        first = iter(pipe)
        yield [next(first), next(first)]
        second = iter(pipe)
        yield [next(second), type(attempt(next, first)).__name__, next(second)]

    same(program, quiet=True)


def test_files(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("z.txt", "a.txt", "c.md", "b/d.txt"):
        (tmp_path / name).write_text(name * 2)

    def program(m):
        i = m.utils.data.datapipes.iter
        lister = i.FileLister(str(tmp_path), "*.txt", recursive=True)
        yield list(lister)
        yield list(lister.open_files("rb").read_from_stream(chunk=4))

    same(program, quiet=True)


def doubled(x):
    return x * 2


def test_ones_own():
    def program(m):
        name = f"own_{m.__name__}"

        @m.utils.data.functional_datapipe(name)
        class Own(m.utils.data.IterDataPipe):
            def __init__(self, source):
                self.source = source

            def __iter__(self):
                yield from reversed(list(self.source))

        yield list(getattr(m.utils.data.datapipes.iter.IterableWrapper(range(6)), name)())

    same(program, quiet=True)


def test_a_loader_takes_them():
    def program(m):
        pipe = m.utils.data.datapipes.iter.IterableWrapper(range(6)).map(doubled)
        yield list(m.utils.data.DataLoader(pipe, batch_size=4))
        mixed = m.utils.data.datapipes.iter.IterableWrapper(range(12)).shuffle().map(doubled).sharding_filter()
        loader = m.utils.data.DataLoader(mixed, batch_size=4)
        yield [list(loader), list(loader), list(m.utils.data.DataLoader(mixed, shuffle=False))]
        yield list(m.utils.data.DataLoader(pipe, shuffle=True))
        yield list(m.utils.data.DataLoader(m.utils.data.datapipes.map.SequenceWrapper(range(5)), batch_size=2))

    same(program, looks="", quiet=True)


def test_workers_share_a_pipe():
    pipe = lucid.utils.data.datapipes.iter.IterableWrapper(range(10)).shuffle().sharding_filter().map(doubled)
    found = [int(x) for x in lucid.utils.data.DataLoader(pipe, batch_size=None, num_workers=2)]
    assert sorted(found) == [2 * i for i in range(10)]


def test_public_names():
    for place in ("utils.data", "utils.data.datapipes.iter", "utils.data.datapipes.map"):
        theirs, ours = torch, lucid
        for part in place.split("."):
            theirs, ours = getattr(theirs, part), getattr(ours, part)
        assert [n for n in theirs.__all__ if not hasattr(ours, n)] == []
