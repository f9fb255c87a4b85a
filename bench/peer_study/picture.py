"""Draws the share of the limit that the winner, the ideal and the peers reach in every case, as SVG; cases are sorted by the winner's share. Colours, marks and
text are those of the command's pictures, light and dark.
"""
import math
from html import escape

from .tables import ceilings_of, ideal_name, known_limits, peer_names, share, void_reason

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 780, 118, 30, 18, 58, 22
KEY_COLUMNS, KEY_ROW, AXIS = 3, 20, 46
TICK, MOST_TICKS = 0.2, 8  # a share above 1 means that a ceiling is too low; ticks are then wider

WORDS = {"np_out": "numpy.einsum", "np_free": "numpy.einsum, any layout", "tblis": "TBLIS", "tcl": "TCL"}
WINNER, IDEAL = ("m0", "c0"), ("m6", "c6")
PEER_MARKS = (("m1", "c1"), ("m2", "c2"), ("m3", "c3"), ("m4", "c4"), ("m5", "c5"), ("m7", "c7"))

STYLE = """svg{color:#1b1f24;font-family:"DejaVu Sans",Verdana,system-ui,sans-serif}
rect.ground{fill:#fff}
.c0{color:#0072b2}.c1{color:#d55e00}.c2{color:#009e73}.c3{color:#b0578d}.c4{color:#a67c00}.c5{color:#2a8fc4}.c6{color:#444c56}.c7{color:#7a4fb5}
svg text{font-size:12px;fill:currentColor}
svg text.title{font-size:15px;font-weight:600}
svg text.axis{fill-opacity:.72}
.grid{stroke:currentColor;stroke-opacity:.16}
.limit{stroke:currentColor;stroke-opacity:.7;stroke-width:1.5}
use{fill:currentColor;stroke:currentColor;fill-opacity:.75}
use.o{fill-opacity:.12;stroke-width:1.2}
@media (prefers-color-scheme:dark){svg{color:#e3e8ee}rect.ground{fill:#14181d}
.c0{color:#56b4e9}.c1{color:#f08a3c}.c2{color:#2fc79a}.c3{color:#e08cc0}.c4{color:#e3b93c}.c5{color:#9cd3f2}.c6{color:#b8c1cb}.c7{color:#b494e6}}"""
MARKS = """<circle id="m0" r="4.2"/><path id="m1" d="M-4-4h8v8h-8z"/><path id="m2" d="M0-5.2 5 3.8H-5z"/><path id="m3" d="M0-5.4 5.4 0 0 5.4-5.4 0z"/>
<path id="m4" d="M0 5.2-5-3.8H5z"/><path id="m5" d="M-5-2h10v4h-10z"/><path id="m6" d="M-2-5h4v10h-4z"/><circle id="m7" r="3"/>"""


class Series:
    """The meaning of one kind of mark: its word, its mark, and the contender of a record that it shows."""

    def __init__(self, text, mark, contender, hollow=True):
        self.text, self.mark, self.contender, self.hollow = text, mark, contender, hollow

    def use(self, x, y, told=""):
        symbol, colour = self.mark
        inside = f"><title>{escape(told)}</title></use>" if told else "/>"
        return f'<use href="#{symbol}" class="{colour}{" o" if self.hollow else ""}" x="{x:.1f}" y="{y:.1f}"{inside}'


def series_of(records):
    found = [Series("tcplan's winner", WINNER, lambda record: "winner", hollow=False), Series("one ideal dgemm", IDEAL, ideal_name, hollow=False)]
    for number, name in enumerate(peer_names(records)):
        found.append(Series(WORDS.get(name, name), PEER_MARKS[number % len(PEER_MARKS)], lambda record, name=name: name))
    return found


def line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def text(x, y, words, attributes=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{" " + attributes if attributes else ""}>{escape(words)}</text>'


def key(series):
    """Returns the legend."""
    column = (WIDTH - 2 * 16) / KEY_COLUMNS
    parts = []
    for number, entry in enumerate(series):
        x, y = 30 + column * (number % KEY_COLUMNS), TOP + 10 + KEY_ROW * (number // KEY_COLUMNS)
        parts += [entry.use(x, y), text(x + 20, y + 4, entry.text)]
    return parts


def tick_of(fastest):
    """Returns the distance between two lines of the axis."""
    return TICK * math.ceil(max(1.0, fastest) / TICK / MOST_TICKS)


def axis(place, highest, tick, top, bottom):
    """Returns the axis: shares of the limit in per cent; a heavier line is the limit."""
    parts = [text(LEFT, top - 26, "share of the limit, % →", 'class="axis"')]
    for number in range(round(highest / tick) + 1):
        value = tick * number
        parts.append(line("grid", place(value), top, place(value), bottom))
        parts.append(text(place(value), top - 8, f"{100 * value:.0f}", 'text-anchor="middle"'))
    return parts + [line("limit", place(1), top, place(1), bottom)]


def case_row(record, limit, series, place, y):
    """Returns a line from the slowest to the fastest contender, and a mark for each; the winner is drawn last, in front."""
    shares = [(entry, share(record, limit, entry.contender(record))) for entry in series]
    values = [value for _, value in shares if value]
    parts = [text(LEFT - 12, y + 4, record["name"], 'text-anchor="end"'), line("grid", place(min(values)), y, place(max(values)), y)]
    for entry, value in reversed(shares):
        if value:
            gflops = 1e-9 * record["flops"] / limit.seconds * value
            told = f"{record['contraction']}, {record['sizes']}: {entry.text} {100 * value:.0f} % of the limit, {gflops:.1f} GFLOP/s"
            parts.append(entry.use(place(value), y, told))
    return parts


def subtitle(results, void):
    conditions = results["conditions"]
    threads = conditions["threads"]
    words = f"{conditions['machine'].split(', Linux')[0]}; {'one thread' if threads == '1' else threads + ' threads'}; {conditions['date']}"
    return words + ("; void: a ceiling is off" if void else "")


def svg(results):
    """Returns the picture. Raises ValueError if no case has a limit."""
    ceilings = ceilings_of(results)
    limited = known_limits(results["cases"], ceilings)
    if not limited:
        raise ValueError("no case has a limit: there is nothing to draw")
    limited.sort(key=lambda pair: -share(*pair))
    series = series_of([record for record, _ in limited])
    fastest = max(share(r, limit, entry.contender(r)) or 0 for r, limit in limited for entry in series)
    tick = tick_of(fastest)
    highest = tick * math.ceil(max(1.0, fastest) / tick - 1e-9)
    top = TOP + KEY_ROW * math.ceil(len(series) / KEY_COLUMNS) + AXIS
    bottom = top + ROW * len(limited)

    def place(value):
        return LEFT + (WIDTH - LEFT - RIGHT) * value / highest

    height = bottom + BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
             "<title>Tensor contractions: shares of the machine's limit</title>", f"<style>\n{STYLE}\n</style>", f"<defs>\n{MARKS}\n</defs>",
             f'<rect class="ground" width="{WIDTH}" height="{height}" rx="6"/>',
             text(16, 26, "Tensor contractions: shares of the machine's limit", 'class="title"'),
             text(16, 44, subtitle(results, void_reason(ceilings)), 'class="axis"')]
    parts += key(series) + axis(place, highest, tick, top, bottom)
    for number, (record, limit) in enumerate(limited):
        parts += case_row(record, limit, series, place, top + ROW * (number + 0.5))
    return "\n".join(parts + ["</svg>"]) + "\n"
