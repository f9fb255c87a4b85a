"""Draws random expressions of einsum with arrays: the same ones for the same seed."""
import random

import numpy

TYPES = ("float32", "float64", "complex64", "complex128")
LETTERS = "abcdefgxyzABQ"
MOST_POINTS = 20000  # bound on the index space, which numpy traverses completely


class Case:
    """Returns subscripts, operands and options of einsum()."""

    def __init__(self, subscripts, operands, options, kinds):
        self.subscripts, self.operands, self.options, self.kinds = subscripts, operands, options, kinds

    def __repr__(self):
        arrays = ", ".join(f"{array.dtype}{array.shape}@{array.strides}" for array in self.operands)
        return f"{self.subscripts!r} of {arrays} with {self.options} ({', '.join(sorted(self.kinds))})"


def values(chance, shape, dtype):
    """Returns small whole numbers, so that sums of products are exact in every type and order."""
    count = int(numpy.prod(shape, dtype=int))
    parts = [numpy.array([float(chance.randint(-3, 3)) for _ in range(count)]) for _ in range(2 if dtype.kind == "c" else 1)]
    return (parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]).astype(dtype).reshape(shape)


def as_laid_out(chance, array, kinds):
    """Returns an array with the same elements in one of many memory layouts."""
    way = chance.choice(("dense", "dense", "fortran", "permuted", "sliced", "reversed", "still", "bytes", "unaligned", "swapped"))
    if array.ndim == 0 and way not in ("dense", "swapped"):
        way = "dense"
    kinds.add(way)
    if way == "fortran":
        return numpy.asfortranarray(array)
    if way == "permuted":
        order = chance.sample(range(array.ndim), array.ndim)
        return numpy.ascontiguousarray(array.transpose(order)).transpose(numpy.argsort(order))
    if way in ("sliced", "reversed"):
        steps = [chance.choice((1, 2, 3)) * (chance.choice((1, -1)) if way == "reversed" else 1) for _ in array.shape]
        room = numpy.full([extent * abs(step) + 1 for extent, step in zip(array.shape, steps)], 99, array.dtype)
        part = room[tuple(slice(0, extent * step, step) if step > 0 else slice(extent * -step, None, step) for extent, step in zip(array.shape, steps))]
        part = part[tuple(slice(0, extent) for extent in array.shape)]
        part[...] = array
        return part
    if way == "still":  # one dimension has stride 0
        axis = chance.randrange(array.ndim)
        if array.shape[axis] == 0:
            return array
        return numpy.broadcast_to(array.take([0], axis), array.shape)
    if way == "bytes":  # a field of a record, whose strides are no multiples of the element's size
        records = numpy.zeros(array.shape, [("before", "i1"), ("value", array.dtype), ("behind", "i2")])
        records["value"] = array
        return records["value"]
    if way == "unaligned":
        memory = numpy.zeros(array.nbytes + 1, numpy.uint8)
        moved = numpy.frombuffer(memory, array.dtype, array.size, 1).reshape(array.shape) if array.size else array.copy()
        if array.size:
            moved[...] = array
        return moved
    return array.astype(array.dtype.newbyteorder()) if way == "swapped" else array


class Generator:
    def __init__(self, seed):
        self.chance = random.Random(seed)

    def case(self):
        while True:
            found = self._case()
            if found is not None:
                return found

    def _case(self):
        chance, kinds = self.chance, set()
        count = chance.choice((1, 2, 2, 2, 2, 2, 2, 3, 3, 4, 5))
        pool = chance.sample(LETTERS, chance.randint(1, 7))
        extents = {letter: chance.choice((1, 2, 2, 3, 3, 4, 5, 6)) for letter in pool}
        if chance.random() < 0.03:
            extents[pool[0]] = 0
            kinds.add("empty")
        terms = [[chance.choice(pool) for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4)))] for _ in range(count)]
        around = [chance.choice((1, 2, 3)) for _ in range(chance.randint(0, 2))] if chance.random() < 0.3 else None
        if around is not None:
            kinds.add("ellipsis")
        points = numpy.prod([extents[letter] for letter in {letter for term in terms for letter in term}] + (around or []), dtype=float)
        if points > MOST_POINTS:
            return None
        shapes, texts = [], []
        for term in terms:
            if len(set(term)) < len(term):
                kinds.add("diagonal")
            shape, text = [self._extent(extents[letter], letter, term, kinds) for letter in term], list(term)
            if around is not None and chance.random() < 0.7:
                own = [1 if chance.random() < 0.2 else extent for extent in around[chance.randint(0, len(around)) :]]
                place = chance.randint(0, len(term))
                shape[place:place], text[place:place] = own, ["..."]
            shapes.append(shape)
            texts.append("".join(text))
        subscripts = ",".join(texts)
        subscripts = self._with_result(subscripts, terms, any("..." in text for text in texts), kinds)
        operands = self._operands(shapes, kinds)
        kinds.add(f"{count} operands")
        return Case(subscripts, operands, self._options(count), kinds)

    def _extent(self, extent, letter, term, kinds):
        """Returns the extent of the index, or 1, which is broadcast."""
        if term.count(letter) == 1 and self.chance.random() < 0.03:
            kinds.add("broadcast")
            return 1
        return extent

    def _with_result(self, subscripts, terms, has_ellipsis, kinds):
        chance = self.chance
        if chance.random() < 0.2:
            kinds.add("implicit")
            return subscripts.replace(",", " , ") if chance.random() < 0.3 else subscripts
        letters = sorted({letter for term in terms for letter in term})
        kept = chance.sample(letters, chance.randint(0, len(letters)))
        if has_ellipsis:
            kept.insert(chance.randint(0, len(kept)), "...")
        return f"{subscripts}->{''.join(kept)}"

    def _operands(self, shapes, kinds):
        chance = self.chance
        dtypes = [numpy.dtype(chance.choice(TYPES))] * len(shapes)
        if chance.random() < 0.2:
            kinds.add("mixed types")
            dtypes = [numpy.dtype(chance.choice(TYPES + ("int32",))) for _ in shapes]
            dtypes[0] = numpy.dtype(chance.choice(TYPES))
        return [as_laid_out(chance, values(chance, shape, dtype), kinds) for shape, dtype in zip(shapes, dtypes)]

    def _options(self, count):
        chance, options = self.chance, {}
        if chance.random() < 0.2:
            options["order"] = chance.choice("CFA")
        if count > 2 and chance.random() < 0.5:
            options["optimize"] = chance.choice((True, False, "greedy"))
        if chance.random() < 0.1:
            options["threads"] = 2
        return options
