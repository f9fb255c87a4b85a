"""Models as XML (docs/models.md describes their coefficients), and grids of points between which times are interpolated."""
import math

AS_GOOD = 1.1  # a grid is as good as a model if its error is at most 10 % larger


def numbers(text, kind=float):
    return [kind(word) for word in text.split()]


def read_model(element):
    pieces = [{"low": numbers(piece.get("low"), int), "high": numbers(piece.get("high"), int), "degree": numbers(piece.get("degree"), int),
               "minimum": numbers(piece.get("minimum"))} for piece in element.iter("piece")]
    sizes = list(element.iter("size"))
    return {"case": element.get("case"), "low": [int(size.get("low")) for size in sizes], "high": [int(size.get("high")) for size in sizes], "pieces": pieces}


def evaluate(model, size):
    """Returns the nanoseconds of the minimum; on a boundary those of the lower piece."""
    piece = next(p for p in model["pieces"] if all(low <= x <= high for low, x, high in zip(p["low"], size, p["high"])))
    scaled = [(2 * x - low - high) / (high - low) if high > low else 0 for low, x, high in zip(piece["low"], size, piece["high"])]
    total = 0
    for place, coefficient in enumerate(piece["minimum"]):
        term = coefficient
        for t, degree in reversed(list(zip(scaled, piece["degree"]))):
            place, exponent = divmod(place, degree + 1)
            term *= t ** exponent
        total += term
    return total


def axis_of(low, high, count):
    return sorted({round((low + (high - low) * i / (count - 1)) / 8) * 8 for i in range(count)})


def interpolate(model, axes, size):
    """Interpolates linearly in each of two sizes between the points of a grid."""
    around = []
    for axis, x in zip(axes, size):
        above = max(next((i for i, point in enumerate(axis) if point >= x), len(axis) - 1), 1)
        low, high = axis[above - 1], axis[above]
        around.append(((low, (high - x) / (high - low)), (high, (x - low) / (high - low))))
    return sum(a[1] * b[1] * evaluate(model, (a[0], b[0])) for a in around[0] for b in around[1])


def grid_error(model, axes, points):
    errors = [abs(1e-9 * interpolate(model, axes, point["sizes"]) / (sum(point["session_seconds"]) / 2) - 1) for point in points]
    return sum(errors) / len(errors)


def grid_of(model, check):
    """Returns the coarsest grid whose error at the measured points is as good, and the cost of measuring it: ten repetitions, each call made
    twice."""
    counts, axes = (2, 2), None
    while True:
        refined = [axis_of(model["low"][i], model["high"][i], counts[i]) for i in range(2)]
        if axes and [len(axis) for axis in refined] == [len(axis) for axis in axes]:
            break  # the grid contains all multiples of 8
        axes = refined
        if grid_error(model, axes, check["measured"]) <= AS_GOOD * check["error"]["mean"]:
            break
        counts = tuple(math.ceil(count * 1.3) + 1 for count in counts)
    seconds = sum(20e-9 * evaluate(model, (m, n)) for m in axes[0] for n in axes[1])
    return {"case": model["case"], "points": [len(axis) for axis in axes], "seconds": seconds}
