"""Random expressions of einsum with random arrays, through the Python package, beside numpy's: scripts/torture --python.

usage: einsum.py [--seconds N] [--checks N] [--seed N]

Each seed is a case of its own; a failure prints the command that repeats it. Operands are small whole numbers, so that every result is exact.
"""
import argparse
import itertools
import os
import pathlib
import random
import sys
import threading
import time

import numpy
import tcplan

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from expressions import Generator, values  # noqa: E402

MOST_FAILURES = 5
DROPPED_AFTER = 200  # number of cases after which the plans of einsum() are dropped


class Wrong(Exception):
    pass


def require_equal(found, expected, what):
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise Wrong(f"{what}: {found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}")
    if not numpy.array_equal(found, expected):
        places = numpy.argwhere(numpy.asarray(found != expected))
        at = tuple(places[0])
        raise Wrong(f"{what}: {numpy.asarray(found)[at]} instead of {numpy.asarray(expected)[at]} at {at}, {len(places)} are wrong")


def plain(case, expected):
    require_equal(numpy.asarray(tcplan.einsum(case.subscripts, *case.operands, **case.options)), expected, "einsum")


def in_array(case, expected, chance):
    """Every second element of an array, with factors; or one that overlaps an operand."""
    room = numpy.full([2 * extent for extent in expected.shape], 7, expected.dtype)
    out = room[(Ellipsis, *(slice(None, None, 2) for _ in expected.shape))]
    if chance.random() < 0.5:
        out[...] = values(chance, expected.shape, expected.dtype)
    operands = list(case.operands)
    overlapped = [number for number, array in enumerate(operands) if array.shape == expected.shape and array.dtype == expected.dtype and array.flags.writeable]
    if overlapped and chance.random() < 0.5 and all(step for step in operands[overlapped[0]].strides):
        out = operands[overlapped[0]].copy()
        operands[overlapped[0]] = out
    alpha, beta = chance.choice((1, 2, -0.5, 0)), chance.choice((0, 0, 1, -2, 0.5))
    wanted = (alpha * expected + beta * out).astype(expected.dtype)
    found = tcplan.einsum(case.subscripts, *operands, out=out, alpha=alpha, beta=beta, **{key: case.options[key] for key in case.options if key != "order"})
    if found is not out:
        raise Wrong("einsum(out=...) returns another array")
    require_equal(out, wanted, f"einsum(out=..., alpha={alpha}, beta={beta})")
    odd = room[tuple(slice(1, None, 2) for _ in expected.shape)]
    if room.ndim and not (odd == 7).all():
        raise Wrong("elements between those of the result were written")


def planned(case, expected, chance):
    """Executes one plan several times in several threads at once."""
    options = {key: case.options[key] for key in case.options if key in ("threads", "optimize", "order")}
    plan = tcplan.plan(case.subscripts, *case.operands, effort="estimate", plans="", store="", **options)
    found = [None] * chance.choice((1, 1, 3))

    def execute(number):
        try:
            found[number] = numpy.asarray(plan(*case.operands))
        except Exception as error:  # reported by the main thread
            found[number] = error

    threads = [threading.Thread(target=execute, args=(number,)) for number in range(1, len(found))]
    for thread in threads:
        thread.start()
    execute(0)
    for thread in threads:
        thread.join()
    for result in found:
        if isinstance(result, Exception):
            raise result
        require_equal(result, expected, "plan")
    if chance.random() < 0.1:
        plan.describe()


def check(seed):
    case = Generator(f"torture {seed}").case()
    chance = random.Random(f"way {seed}")
    # numpy adds in the type of the operands, so results of exact types must be exact
    expected = numpy.asarray(numpy.einsum(case.subscripts, *case.operands, order=case.options.get("order", "K")))
    before = [operand.copy() for operand in case.operands]
    writeable = [operand.flags.writeable for operand in case.operands]
    try:
        way = chance.choice(("plain", "in_array", "planned")) if len(case.operands) > 1 and expected.dtype.name in TYPES else "plain"
        if way != "in_array":
            for operand in case.operands:
                operand.flags.writeable = False
        if way == "plain":
            plain(case, expected)
        elif way == "in_array":
            in_array(case, expected, chance)
        else:
            planned(case, expected, chance)
        for number, (operand, earlier) in enumerate(zip(case.operands, before)):
            require_equal(operand, earlier, f"operand {number} afterwards")
    except Exception as error:
        raise Wrong(f"{case!r}\n  {type(error).__name__}: {error}") from error
    finally:
        for operand, was in zip(case.operands, writeable):
            if was and operand.base is None:
                operand.flags.writeable = True


TYPES = ("float32", "float64", "complex64", "complex128")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--checks", type=int, default=10**12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["TCPLAN_STORE"] = os.environ["TCPLAN_PLANS"] = ""
    start, done, failures = time.monotonic(), 0, 0
    for seed in itertools.count(options.seed):
        if done == options.checks or failures == MOST_FAILURES or time.monotonic() - start > options.seconds:
            break
        try:
            check(seed)
        except Wrong as wrong:
            failures += 1
            print(f"failed: {wrong}\n  repeat: scripts/torture --python --check {seed}", file=sys.stderr)
        done += 1
        if done % DROPPED_AFTER == 0:
            tcplan.clear()
    seconds = time.monotonic() - start
    print(f"{done} checks by Python in {seconds:.0f} s, {done / seconds:.0f} a second, {failures} failed; the next seed is {options.seed + done}")
    return failures > 0


sys.exit(main())
