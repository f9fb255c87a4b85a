"""Products computed by numpy: those of one operand, and of types without kernels in libtcplan.

Integers wrap around and booleans are combined by `or` and `and`, so every order of multiplying two
operands at a time gives the same result. The result of multiplying objects may depend on the order;
numpy therefore gets all operands with objects in one call.
"""
import functools

import numpy

from ._errors import InputError
from ._path import greedy
from ._subscripts import LETTERS


try:  # the function that numpy.einsum calls: calling it directly saves a microsecond
    _c_einsum = (numpy._core if hasattr(numpy, "_core") else numpy.core).multiarray.c_einsum
except AttributeError:
    _c_einsum = numpy.einsum


def _text(terms, result):
    """Returns the subscripts of terms, with letters that numpy accepts."""
    labels = dict.fromkeys(label for term in (*terms, result) for label in term)
    if len(labels) > len(LETTERS):
        raise InputError(f"expected {len(LETTERS)} different indices at most in a product that numpy computes, found {len(labels)}")
    names = dict(zip(labels, LETTERS))
    return f"{','.join(''.join(names[label] for label in term) for term in terms)}->{''.join(names[label] for label in result)}"


def _steps(terms, output, path):
    """Returns (positions of the operands, numpy's subscripts) of each step of a path."""
    left, steps = list(terms), []
    for places in path:
        taken = [left[place] for place in places]
        left = [term for place, term in enumerate(left) if place not in places]
        needed = set(output).union(*left)
        made = tuple(label for label in dict.fromkeys(sum(taken, ())) if label in needed) if left else tuple(output)
        left.append(made)
        steps.append((places, _text(taken, made)))
    return steps


def _numpys_path(text, expression):
    """Returns the order that numpy.einsum chooses with optimize=True."""
    shapes = [[expression.extents[label] for label in term.labels] for term in expression.terms]
    return numpy.einsum_path(text, *(numpy.broadcast_to(0.0, shape) for shape in shapes), optimize=True)[0]


class NumpyProduct:
    """A product computed by numpy, with the methods that a Plan has.

    quick: a function that returns a new result for operands of the same shapes and types; None: no
        such function
    """

    direct = quick_into = None

    def __init__(self, expression, dtype, path, order="K", casting="safe", conjugated=(), converts=True, optimize=False):
        """path: the order of several operands; None: the greedy order
        converts: whether operands may have other types than `dtype`
        optimize: whether numpy.einsum optimizes the order within each step
        """
        self.dtype, self.shape = dtype, tuple(expression.extents[label] for label in expression.output)
        self._conjugated = conjugated
        self._dropped = [term.dropped for term in expression.terms]
        terms = [term.labels for term in expression.terms]
        if dtype.kind == "O" or len(terms) == 1:
            path = [tuple(range(len(terms)))]
        elif path is None:
            path = greedy(terms, expression.output, expression.extents)
        self._steps = _steps(terms, expression.output, path)
        self._options = {"dtype": dtype, "casting": casting} if converts else {}
        if optimize:
            self._options["optimize"] = _numpys_path(self._steps[0][1], expression)
        self._order = {} if order == "K" else {"order": order}
        is_plain = len(self._steps) == 1 and not any(self._dropped) and not conjugated
        function = numpy.einsum if optimize else _c_einsum
        self.quick = functools.partial(function, self._steps[0][1], **self._options, **self._order) if is_plain else None

    def _operand(self, array, number):
        if self._dropped[number]:
            array = array[tuple(0 if dimension in self._dropped[number] else slice(None) for dimension in range(array.ndim))]
        return numpy.conj(array) if number in self._conjugated and array.dtype.kind in "cO" else array

    def _multiply(self, arrays):
        left = [self._operand(array, number) for number, array in enumerate(arrays)]
        for places, text in self._steps:
            taken = [left[place] for place in places]
            left = [array for place, array in enumerate(left) if place not in places]
            left.append(numpy.einsum(text, *taken, **self._options, **({} if left else self._order)))
        return left[0]

    def compute(self, arrays, out, alpha, beta):
        """Returns alpha * product + beta * out; an alpha of None is 1, a beta of None 0. Without
        `out`, the result is a new array or a number; for one operand, a view if numpy returns one."""
        if alpha is None or alpha != 0:
            value = self._multiply(arrays)
        else:
            value, alpha = numpy.zeros(self.shape, self.dtype)[()], None
        if alpha is not None:
            value = self._factor(alpha) * value
        if beta:
            value = value + self._factor(beta) * out
        if out is None:
            return value
        numpy.copyto(out, value, casting="unsafe")  # check_out() checked `out`
        return out

    def _factor(self, value):
        return numpy.asarray(value).astype(self.dtype)[()]


class MatmulProduct(NumpyProduct):
    """A product of two operands by numpy.matmul, on transposed and reshaped arrays. numpy.einsum does
    not use matrix products if an index is in both operands and the result."""

    @staticmethod
    def suits(expression):
        """Returns whether an index is in both operands and the result, and matmul can compute the
        product, which must have no diagonals and no sums over an index of one operand only."""
        if len(expression.terms) != 2:
            return False
        left, right, output = *(term.labels for term in expression.terms), expression.output
        distinct = all(len(set(labels)) == len(labels) for labels in (left, right, output))
        return distinct and bool(set(left) & set(right) & set(output)) and not (set(left) ^ set(right)) - set(output)

    def __init__(self, expression, dtype, order="K"):
        super().__init__(expression, dtype, [(0, 1)], order, converts=False)
        left, right, output = *(term.labels for term in expression.terms), expression.output
        batch = [label for label in output if label in left and label in right]
        summed = [label for label in left if label in right and label not in output]
        rows = [label for label in output if label not in right]
        columns = [label for label in output if label not in left]
        self._places = [[labels.index(label) for label in wanted] for labels, wanted in ((left, batch + rows + summed), (right, batch + summed + columns))]
        self._back = [(batch + rows + columns).index(label) for label in output]
        extents = expression.extents
        self._counts = [int(numpy.prod([extents[label] for label in labels])) for labels in (rows, summed, columns)]
        self._batch = [extents[label] for label in batch]
        self._made = self._batch + [extents[label] for label in rows + columns]
        self.quick = None if any(self._dropped) else self._product

    def _product(self, left, right):
        rows, summed, columns = self._counts
        order = self._order.get("order") or ("F" if left.flags.fnc and right.flags.fnc else "C")
        left = left.transpose(self._places[0]).reshape(*self._batch, rows, summed)
        right = right.transpose(self._places[1]).reshape(*self._batch, summed, columns)
        made = numpy.matmul(left, right).reshape(self._made).transpose(self._back)
        return numpy.asarray(made, order=order)

    def _multiply(self, arrays):
        return self._product(*(self._operand(array, number) for number, array in enumerate(arrays)))
