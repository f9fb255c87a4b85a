"""Orders of several operands that the caller says or has found, two operands at a time.

Orders are lists of tuples as those of numpy.einsum_path and opt_einsum: the operands at these places are taken out of the list and their
product is put behind its end.
"""
from ._errors import InputError


def _size(labels, extents):
    size = 1
    for label in labels:
        size *= extents[label]
    return size


def greedy(inputs, output, size_dict, memory_limit=None):
    """A cheap order: each time the two operands whose product takes the least room beside what it replaces; outer products come last.

    Called as opt_einsum calls those that find paths, so that it can be registered there:
    `opt_einsum.paths.register_path_fn("tcplan", tcplan.greedy)`.

    inputs: the indices of each operand, as sets; output: those of the result; size_dict: the extent of each index; memory_limit: ignored, as
    operands are always taken in pairs.
    """
    del memory_limit
    left, output, order = [frozenset(labels) for labels in inputs], frozenset(output), []
    while len(left) > 1:
        best = None
        for i in range(len(left)):
            for j in range(i + 1, len(left)):
                both = left[i] | left[j]
                kept = both & output.union(*(left[k] for k in range(len(left)) if k not in (i, j)))
                growth = _size(kept, size_dict) - _size(left[i], size_dict) - _size(left[j], size_dict)
                rating = (not left[i] & left[j], growth, _size(both, size_dict))
                if best is None or rating < best[0]:
                    best = rating, i, j, kept
        _, i, j, kept = best
        order.append((i, j))
        left = [left[k] for k in range(len(left)) if k not in (i, j)] + [kept]
    return order or [(0,)]


def _in_turn(count):
    """Left to right: each operand is multiplied to the product of those before it."""
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
    """A path in pairs: steps of more operands become several, left to right; those of one change nothing but the order of the list."""
    pairs = []
    names = left = list(range(count))  # what the given path and that of pairs have in their lists: operands, and products behind them
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


def resolve(optimize, terms, output, extents):
    """The order as a path of pairs; None: it is to be searched.

    optimize: True: it is searched; "greedy"; False: left to right; a path of numpy.einsum_path or opt_einsum; or a function that finds one.
    """
    count = len(terms)
    if optimize is True or optimize is None or (count == 2 and isinstance(optimize, (bool, str))):
        return None
    if optimize == "greedy":
        order = greedy(terms, output, extents)
    elif optimize is False:
        order = _in_turn(count)
    elif callable(optimize):
        order = optimize([set(labels) for labels in terms], set(output), dict(extents), None)
    elif isinstance(optimize, str):
        raise InputError(f"expected the order 'greedy', found '{optimize}': numpy.einsum_path and opt_einsum.contract_path give others")
    else:
        order = list(optimize)
        if order and order[0] == "einsum_path":
            order = order[1:]
    return _pairs(order, count)
