"""The cheapest cut of a network: Dinic's algorithm (E. A. Dinic, 1970), by levels and blocking flows."""

import math

__all__ = ["FlowNetwork"]


class FlowNetwork:
    """Vertices 0 .. n-1 and edges with capacities, integers or math.inf. An edge and its reverse are neighbours in
    the lists: edge e leads to heads[e], and e ^ 1 leads back."""

    def __init__(self, n):
        self.edges = [[] for _ in range(n)]  # of each vertex
        self.heads, self.left = [], []  # where an edge leads, and what it can still carry

    def add(self, start, end, capacity):
        """An edge from start to end."""
        for a, b, c in ((start, end, capacity), (end, start, 0)):
            self.edges[a].append(len(self.heads))
            self.heads.append(b)
            self.left.append(c)

    def sink_side(self, source, sink):
        """The vertices that a cheapest cut leaves with the sink, the smallest such set; ValueError where every cut
        costs infinitely much."""
        while True:
            levels = self._levels(source)
            if levels[sink] < 0:
                break
            self._fill(source, sink, levels)
        found, waiting = {sink}, [sink]
        while waiting:
            for e in self.edges[waiting.pop()]:
                v = self.heads[e]
                if v not in found and self.left[e ^ 1] > 0:
                    found.add(v)
                    waiting.append(v)
        return found

    def _levels(self, source):
        """How many edges that can carry something lead to each vertex; -1 where none do."""
        heads, left = self.heads, self.left
        levels = [-1] * len(self.edges)
        levels[source] = 0
        reached = [source]
        for v in reached:
            for e in self.edges[v]:
                to = heads[e]
                if left[e] > 0 and levels[to] < 0:
                    levels[to] = levels[v] + 1
                    reached.append(to)
        return levels

    def _fill(self, source, sink, levels):
        """Send along shortest paths until each of them has a full edge."""
        edges, heads, left = self.edges, self.heads, self.left
        untried = [0] * len(edges)
        path, v = [], source
        while True:
            if v == sink:
                flow = min(left[e] for e in path)
                if flow == math.inf:
                    raise ValueError("no cut of this network is finite")
                for e in path:
                    left[e] -= flow
                    left[e ^ 1] += flow
                first = next(i for i, e in enumerate(path) if not left[e])
                v = heads[path[first] ^ 1]
                del path[first:]
                continue
            own, i = edges[v], untried[v]
            while i < len(own) and not (left[own[i]] > 0 and levels[heads[own[i]]] == levels[v] + 1):
                i += 1
            untried[v] = i
            if i < len(own):
                path.append(own[i])
                v = heads[own[i]]
            elif path:  # a dead end: the edge that led here is of no use
                v = heads[path.pop() ^ 1]
                untried[v] += 1
            else:
                return
