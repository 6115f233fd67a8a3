"""What is computed once, in the forward graph, whatever it costs to keep: torch's rules of thumb.

An op that is dear; a value that backward reads from memory anyway; a small result of large inputs; a value that is
read both near and far, or stands at the end of a long chain of cheap ones.
"""

import heapq
import operator

from .recomputing import is_fusible, is_recomputable, is_view, reduces

__all__ = ["banned"]

_CHAIN = 100  # nodes


def banned(joint):
    """The nodes that are not computed anew."""
    order, found = {}, set(joint.primals)
    for node in joint.nodes:
        if node in joint.forward:
            order[node] = len(order)
    for node in order:
        if node.op == "call_function" and not is_view(node) and _is_dear(node, joint):
            found.add(node)
    _used_far_apart(order, found)
    _long_chains(order, found)
    return found


def _is_dear(node, joint):
    if node.target is operator.getitem:
        return False
    return not is_recomputable(node) or _read_by_backward(node, joint) or reduces(node)


def _read_by_backward(node, joint):
    """Does the backward graph read it, or a view of it, from memory?"""
    waiting = [node]
    while waiting:
        now = waiting.pop()
        for user in now.users:
            if user not in joint.forward and not is_fusible(now, user):
                return True
            if is_view(user):
                waiting.append(user)
    return False


def _used_far_apart(order, found):
    """A user of a value that comes after something which cannot be computed along with it."""
    nodes = list(order)
    for node in order:
        users = [u for u in node.users if u in order]
        if not users:
            continue
        limit = _first_apart(users, max(order[u] for u in users), order, nodes)
        for user in users:
            if order[user] > limit and is_fusible(node, user) and not is_view(user):
                found.add(user)


def _first_apart(users, limit, order, nodes):
    """The first place that cannot be computed along with what leads to it; limit where all can."""
    waiting = [(order[u], True) for u in users]
    heapq.heapify(waiting)
    seen = set(waiting)
    while waiting:
        place, fits = heapq.heappop(waiting)
        if not fits:
            return place
        for user in nodes[place].users:
            if user in order and order[user] <= limit:
                entry = order[user], is_fusible(nodes[place], user)
                if entry not in seen:
                    seen.add(entry)
                    heapq.heappush(waiting, entry)
    return limit


def _long_chains(order, found):
    """The end of a chain of values that are computed along with each other."""
    nodes, visited = list(order), set()
    for start in nodes:
        waiting = [order[start]]
        while waiting:
            place = heapq.heappop(waiting)
            node = nodes[place]
            if node in visited:
                continue
            visited.add(node)
            if place > order[start] + _CHAIN and not waiting:
                if not is_view(node):
                    found.add(node)
                break
            for user in node.users:
                if user in order and is_fusible(node, user) and user not in found:
                    heapq.heappush(waiting, order[user])
