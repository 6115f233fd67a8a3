"""The order that C++'s std::sort leaves elements in when NaNs among them compare with nothing.

torch's mode and unique(dim=) sort with a plain `<`, so where there are NaNs their results are what the algorithm of the
C++ library happens to do: introsort, of which small parts are finished by insertion.
"""

_SMALL = 16  # parts up to this length are left to the insertion at the end


def _median_to_front(order, less, front, a, b, c):
    """Swap the middle one of three elements to the front."""
    if less(order[a], order[b]):
        middle = b if less(order[b], order[c]) else c if less(order[a], order[c]) else a
    else:
        middle = a if less(order[a], order[c]) else c if less(order[b], order[c]) else b
    order[front], order[middle] = order[middle], order[front]


def _partition(order, less, first, last):
    """Move what is less than order[first - 1] to the left; where the right part begins."""
    pivot, end = order[first - 1], len(order)
    while True:
        while first < end and less(order[first], pivot):
            first += 1
        last -= 1
        while last > 0 and less(pivot, order[last]):
            last -= 1
        if first >= last:
            return first
        order[first], order[last] = order[last], order[first]
        first += 1


def _insert(order, less, at, front):
    value = order[at]
    while at > front and less(value, order[at - 1]):
        order[at] = order[at - 1]
        at -= 1
    order[at] = value


def sorted_as_cpp(n, less):
    """0 ... n - 1 as std::sort orders them by less(i, j)."""
    order = list(range(n))
    waiting = [(0, n)]
    while waiting:
        first, last = waiting.pop()
        while last - first > _SMALL:
            _median_to_front(order, less, first, first + 1, first + (last - first) // 2, last - 1)
            cut = _partition(order, less, first + 1, last)
            waiting.append((first, cut))
            first = cut
    for at in range(1, n):
        if at < _SMALL and less(order[at], order[0]):
            order.insert(0, order.pop(at))
        else:
            _insert(order, less, at, 0)
    return order


def order_of_rows(rows):
    """The order of rows (n, m), compared by their first elements that are less or greater."""
    values = rows.tolist()

    def less(i, j):
        for a, b in zip(values[i], values[j]):
            if a < b:
                return True
            if a > b:
                return False
        return False

    return sorted_as_cpp(len(values), less)


def mode_of_row(row):
    """Where a row's most frequent value is: the last of the first longest run of equal neighbours."""
    values = row.tolist()
    order = sorted_as_cpp(len(values), lambda i, j: values[i] < values[j])
    best = place = length = 0
    for at, i in enumerate(order):
        length += 1
        if at == len(order) - 1 or values[i] != values[order[at + 1]]:
            if length > best:
                best, place = length, i
            length = 0
    return place
