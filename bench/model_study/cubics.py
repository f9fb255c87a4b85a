"""Example 3.9 of the dissertation: dtrsm of n = 24 to 536 in steps of 16, fitted by one, two and three cubic polynomials."""
from . import sampling

LOW, HIGH, STEP, LEADING = 24, 536, 16, 5000
CUTS = ((), (280,), (152, 280))
# The mean and the maximum error in the dissertation, per cent; for several pieces the mean of their means where it gives these.
THERE = ((5.30, 11.22), (2.55, 5.25), (0.71, 1.28))


def measure(command, repetitions):
    """Returns the shortest time in seconds of each n."""
    memory = [f"dmalloc A {LEADING * HIGH}", f"dmalloc B {LEADING * HIGH}"]
    fills = [f"dmemset {HIGH} {HIGH} 0 A {LEADING}"]
    calls = {n: f"dtrsm L L N U {n} {n} 1 A {LEADING} B {LEADING}" for n in range(LOW, HIGH + 1, STEP)}
    return {n: min(times) for n, times in sampling.measure(command, memory, fills, calls, repetitions).items()}


def solve(matrix, right):
    """Solves a small system of equations by Gaussian elimination with pivoting."""
    size = len(right)
    rows = [row[:] + [value] for row, value in zip(matrix, right)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, size):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    out = [0.0] * size
    for i in reversed(range(size)):
        out[i] = (rows[i][size] - sum(rows[i][c] * out[c] for c in range(i + 1, size))) / rows[i][i]
    return out


def errors_of_fit(times, degree=3):
    """Returns the relative errors, at the points, of the polynomial with the least sum of squared errors."""
    low, high = min(times), max(times)
    rows = [([(2 * n - low - high) / (high - low)], seconds) for n, seconds in sorted(times.items())]
    rows = [([t[0] ** e / seconds for e in range(degree + 1)], seconds) for t, seconds in rows]
    normal = [[sum(row[i] * row[j] for row, _ in rows) for j in range(degree + 1)] for i in range(degree + 1)]
    coefficients = solve(normal, [sum(row[i] for row, _ in rows) for i in range(degree + 1)])
    return [abs(1 - sum(c * x for c, x in zip(coefficients, row))) for row, _ in rows]


def errors(times, cuts):
    """Returns the errors of all pieces. A point on a boundary counts twice, as it is fitted in both pieces."""
    ends, out = (LOW, *cuts, HIGH), []
    for low, high in zip(ends, ends[1:]):
        out += errors_of_fit({n: seconds for n, seconds in times.items() if low <= n <= high})
    return out


def print_table(times):
    print("\n| Example 3.9, dtrsm, n = 24 to 536 | mean error there | maximum there | mean here | maximum here |")
    print("|---|---|---|---|---|")
    for cuts, (mean, most) in zip(CUTS, THERE):
        here = errors({int(n): seconds for n, seconds in times.items()}, cuts)
        name = "one cubic" if not cuts else f"{len(cuts) + 1} cubics, cut at {' and '.join(map(str, cuts))}"
        print(f"| {name} | {mean:.2f} % | {most:.2f} % | {100 * sum(here) / len(here):.2f} % | {100 * max(here):.2f} % |")
