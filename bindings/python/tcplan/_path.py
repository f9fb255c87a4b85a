"""Orders in which several operands are multiplied, two at a time: reads orders of the caller, and
finds greedy ones.

Orders are lists of tuples as in numpy.einsum_path and opt_einsum. Each tuple has positions in the
list of operands: these operands are removed from the list, and their product is appended.
"""
import bisect
import heapq

from ._errors import InputError

MOST_HOLDERS = 64  # operands are not neighbours by a label that more operands than this have


def _size(labels, extents):
    size = 1
    for label in labels:
        size *= extents[label]
    return size


class _Operands:
    """The remaining operands. Numbers increase: the given operands come first, then each product gets
    the next number.

    The holders of a label are the operands that have it. Whether a product keeps a label depends on
    the holders other than its factors. While both factors are left, another holder can disappear
    only into a product that also has the label. So the rating of a pair never changes, and is
    computed once.
    """

    def __init__(self, inputs, output, extents):
        self.output, self.extents, self.labels, self.holders, self.count = output, extents, {}, {}, 0
        for labels in inputs:
            self.add(labels)

    def add(self, labels):
        number = self.count
        self.count += 1
        self.labels[number] = labels
        for label in labels:
            self.holders.setdefault(label, set()).add(number)
        return number

    def kept(self, one, other):
        """Returns the labels of the product of two operands: those in the result or in other
        operands."""
        left, right, holders, output = self.labels[one], self.labels[other], self.holders, self.output
        return frozenset(label for label in left | right
                         if label in output or len(holders[label]) > (label in left) + (label in right))

    def rating(self, one, other):
        """Rates a pair, a lower rating first: by the growth of memory in elements, then by the number
        of multiplications, then by its numbers."""
        left, right, extents = self.labels[one], self.labels[other], self.extents
        growth = _size(self.kept(one, other), extents) - _size(left, extents) - _size(right, extents)
        return growth, _size(left | right, extents), min(one, other), max(one, other)

    def neighbours(self, number):
        """Returns the operands that share a label with this one. Labels of more than MOST_HOLDERS
        operands, such as a batch index of all, do not count: their pairs would be too many."""
        holders = (self.holders[label] for label in self.labels[number])
        return set().union(*(operands for operands in holders if len(operands) <= MOST_HOLDERS)) - {number}

    def size(self, number):
        """Rates an operand that shares no label with another one, a lower rating first: by its number
        of elements without summed labels; of equal ones, the larger operand comes first."""
        labels = self.labels[number]
        return _size(labels & self.output, self.extents), -_size(labels, self.extents), number

    def multiply(self, one, other):
        """Replaces two operands by their product."""
        kept = self.kept(one, other)
        for number in (one, other):
            for label in self.labels.pop(number):
                self.holders[label].discard(number)
        return self.add(kept)


def _places(pairs, count):
    """Converts pairs of numbers to positions in the list of remaining operands, which is sorted by
    number."""
    left, path = list(range(count)), []
    for made, pair in enumerate(pairs, count):
        places = tuple(bisect.bisect_left(left, number) for number in pair)
        for place in reversed(places):
            del left[place]
        left.append(made)
        path.append(places)
    return path


def greedy(inputs, output, size_dict, memory_limit=None):
    """Finds a greedy order: repeatedly multiplies the two operands whose product increases the memory
    least. Outer products come last, the smallest first. Returns a list of pairs of positions.

    Pairs that share a label are in a heap, sorted by their rating. A pair stays in the heap after one
    of its factors was multiplied, and is skipped when it becomes the first. A chain of n operands
    therefore rates about 3 n pairs. Labels of more than 64 operands form no pairs until fewer
    operands have them. (opt_einsum's greedy search works in the same way: Smith and Gray 2018, J.
    Open Source Softw. 3, 753.)

    It has the arguments of opt_einsum's path functions and can be registered there:
    `opt_einsum.paths.register_path_fn("tcplan", tcplan.greedy)`.

    inputs: the indices of each operand, as sets
    output: the indices of the result, as a set
    size_dict: the extent of each index
    memory_limit: ignored
    """
    del memory_limit
    operands = _Operands([frozenset(labels) for labels in inputs], frozenset(output), size_dict)
    left, pairs = operands.labels, []
    while heap := [operands.rating(number, other) for number in left for other in operands.neighbours(number) if other > number]:
        heapq.heapify(heap)
        while heap:
            *_, one, other = heapq.heappop(heap)
            if one not in left or other not in left:
                continue
            pairs.append((one, other))
            made = operands.multiply(one, other)
            for neighbour in operands.neighbours(made):
                heapq.heappush(heap, operands.rating(made, neighbour))
    alone = [operands.size(number) for number in left]
    heapq.heapify(alone)
    while len(alone) > 1:
        (*_, one), (*_, other) = heapq.heappop(alone), heapq.heappop(alone)
        pairs.append((min(one, other), max(one, other)))
        heapq.heappush(alone, operands.size(operands.multiply(one, other)))
    return _places(pairs, len(inputs)) or [(0,)]


def _in_turn(count):
    """Returns the order from left to right: the product of the first operands is multiplied by the
    next one."""
    return [(0, 1)] + [(0, left - 1) for left in range(count - 1, 1, -1)]


def _check(step, count):
    places = tuple(step)
    if not all(hasattr(place, "__index__") for place in places):
        raise InputError(f"expected places of operands in a step of the order, found {step!r}")
    places = tuple(place.__index__() for place in places)
    if len(set(places)) != len(places) or not all(0 <= place < count for place in places):
        raise InputError(f"step {places} of the order: expected different places below {count}, as {count} operands are left")
    return places


def _pairs(order, count):
    """Returns a path of pairs. A step of more than two operands becomes several pairs, left to
    right; a step of one operand only changes the order of the list."""
    pairs = []
    names = left = list(range(count))  # the lists of remaining operands and products: `names` for the given path, `left` for the path of pairs
    for step in order:
        places = _check(step, len(names))
        taken = [names[place] for place in places]
        names = [name for place, name in enumerate(names) if place not in places]
        while len(taken) > 1:
            pairs.append((left.index(taken[0]), left.index(taken[1])))
            made = count + len(pairs)
            left = [name for name in left if name not in taken[:2]] + [made]
            taken[:2] = [made]
        names += taken
    if len(names) > 1:
        raise InputError(f"the order ends with {len(names)} operands, expected one")
    return pairs


NAMES = ("greedy", "optimal")


def _without_limit(optimize):
    """Returns numpy's ("greedy", memory limit) without the limit: every pair of operands needs
    memory for its product, so a limit cannot be kept."""
    if isinstance(optimize, (tuple, list)) and len(optimize) == 2 and isinstance(optimize[0], str) and isinstance(optimize[1], (int, float)):
        return optimize[0]
    return optimize


def resolve(optimize, terms, output, extents):
    """Returns the order as a path of pairs, or None if libtcplan is to search for one.

    optimize: True or "optimal": it is searched; "greedy"; False: left to right; a path of
        numpy.einsum_path or opt_einsum; or a function that finds one.
    """
    count, optimize = len(terms), _without_limit(optimize)
    if isinstance(optimize, str) and optimize not in NAMES:
        raise InputError(f"expected the order 'greedy' or 'optimal', found '{optimize}': numpy.einsum_path and opt_einsum.contract_path give others")
    if optimize is True or optimize is None or optimize == "optimal" or (count == 2 and isinstance(optimize, (bool, str))):
        return None
    if optimize == "greedy":
        order = greedy(terms, output, extents)
    elif optimize is False:
        order = _in_turn(count)
    elif callable(optimize):
        order = optimize([set(labels) for labels in terms], set(output), dict(extents), None)
    elif hasattr(optimize, "__iter__"):
        order = list(optimize)
        if order and isinstance(order[0], str) and order[0] == "einsum_path":
            order = order[1:]
    else:
        raise TypeError(f"expected an order of the operands, found {type(optimize).__name__}")
    return _pairs(order, count)
