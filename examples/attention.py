"""An attention layer whose four products of tensors are planned once and executed for every batch.

    examples/attention.py [--effort normal] [--threads 1] [--steps 3] [--batch 4] [--length 64] [--heads 4] [--width 128]

Needs numpy, and the package tcplan with its library (docs/python.md). Every result is checked against numpy.einsum.
"""
import argparse
import sys

import numpy
import tcplan


class Attention:
    """softmax(Q K^T / sqrt(e)) V with several heads: x has the indices b (batch), q or k (position), d (width). Index h numbers the heads, e the width of one head."""

    def __init__(self, batch, length, width, heads, **options):
        head = width // heads
        rng = numpy.random.default_rng(1)
        self.weights = {name: (rng.standard_normal((width, heads, head)) / numpy.sqrt(width)).astype("float32") for name in ("query", "key", "value")}
        self.output = (rng.standard_normal((heads, head, width)) / numpy.sqrt(width)).astype("float32")
        self.scale = 1 / numpy.sqrt(head)
        options["dtype"] = "float32"
        x, split, scores = (batch, length, width), (batch, length, heads, head), (batch, heads, length, length)
        self.project = tcplan.plan("bqd,dhe->bqhe", x, self.weights["query"].shape, **options)
        self.compare = tcplan.plan("bqhe,bkhe->bhqk", split, split, **options)
        self.collect = tcplan.plan("bhqk,bkhe->bqhe", scores, split, **options)
        self.merge = tcplan.plan("bqhe,hed->bqd", split, self.output.shape, **options)
        # Intermediate results are allocated once, too.
        self.query, self.key, self.value = (numpy.empty(split, "float32") for _ in range(3))
        self.scores = numpy.empty(scores, "float32")

    def plans(self):
        return self.project, self.compare, self.collect, self.merge

    def __call__(self, x):
        for name, place in (("query", self.query), ("key", self.key), ("value", self.value)):
            self.project(x, self.weights[name], out=place)
        self.compare(self.query, self.key, out=self.scores, alpha=self.scale)
        softmax(self.scores)
        collected = self.collect(self.scores, self.value, out=self.query)
        return self.merge(collected, self.output)

    def by_numpy(self, x):
        query, key, value = (numpy.einsum("bqd,dhe->bqhe", x, weights, optimize=True) for weights in self.weights.values())
        scores = numpy.einsum("bqhe,bkhe->bhqk", query, key, optimize=True) * numpy.float32(self.scale)
        softmax(scores)
        return numpy.einsum("bqhe,hed->bqd", numpy.einsum("bhqk,bkhe->bqhe", scores, value, optimize=True), self.output, optimize=True)


def softmax(scores):
    """Applies softmax along the last dimension, in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    numpy.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--effort", choices=("estimate", "quick", "normal", "thorough"), help="of planning (default: TCPLAN_EFFORT, or normal)")
    for name, default in (("threads", 1), ("steps", 3), ("batch", 4), ("length", 64), ("heads", 4), ("width", 128)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    layer = Attention(given.batch, given.length, given.width, given.heads, effort=given.effort, threads=given.threads)
    for plan in layer.plans():
        print(f"{plan.subscripts:16} {plan.algorithm} ({plan.origin})")
    rng = numpy.random.default_rng(2)
    worst = 0.0
    for _ in range(given.steps):
        x = rng.standard_normal((given.batch, given.length, given.width)).astype("float32")
        found, expected = layer(x), layer.by_numpy(x)
        worst = max(worst, float(abs(found - expected).max() / abs(expected).max()))
    print(f"{given.steps} batches: largest difference from numpy {worst:.1e}")
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
