"""Compares results with those of numpy within the rounding errors of sums in any order."""
import math

import numpy


def assert_sums_equal(found, subscripts, *operands, alpha=1, added=0):
    """Asserts that `found` is alpha * einsum(subscripts, *operands) + added.

    The subscripts have '->' and no ellipsis. The tolerance of an element is the sum of the
    magnitudes of its terms, times their number, times the rounding unit (Higham 2002, section 3.5).
    A tolerance relative to the element itself is too small for the difference of large terms.
    """
    terms, result = subscripts.split("->")
    extents = {}
    for term, operand in zip(terms.split(","), operands):
        extents.update(zip(term, operand.shape))
    summed = math.prod(extent for label, extent in extents.items() if label not in result)
    expected = alpha * numpy.einsum(subscripts, *operands, optimize="greedy") + added
    magnitude = abs(alpha) * numpy.einsum(subscripts, *map(numpy.abs, operands), optimize="greedy")
    magnitude = magnitude + numpy.abs(added)
    found = numpy.asarray(found)
    assert found.shape == expected.shape, f"shape {found.shape} instead of {expected.shape}"
    unit = max(numpy.finfo(array.dtype).eps for array in (found, expected))
    allowed = 2 * (summed + 8) * len(operands) * unit * magnitude
    wrong = numpy.argwhere(~(numpy.abs(found - expected) <= allowed))  # also for NaN
    if len(wrong) > 0:
        at = tuple(wrong[0])
        raise AssertionError(
            f"{found[at]} instead of {expected[at]} at {at}: the tolerance is {allowed[at]:.1e}; "
            f"{len(wrong)} elements are wrong"
        )
