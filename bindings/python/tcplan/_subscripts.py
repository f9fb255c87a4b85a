"""Subscripts as numpy.einsum reads them, for any number of operands.

libtcplan itself reads the subscripts of two operands. The dimensions of an ellipsis, and which
extents of 1 are broadcast, depend on the shapes of all operands. They are therefore determined here,
before operands are multiplied in pairs.
"""
from dataclasses import dataclass

from ._errors import InputError

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # the letters that numpy accepts
SYMBOLS = LETTERS + "".join(chr(code) for code in range(0xC0, 0x250) if chr(code).isalpha())


@dataclass(frozen=True)
class Term:
    """The labels of an operand's dimensions, without dimensions of extent 1 whose index is larger
    in another operand."""

    labels: tuple
    dropped: tuple  # the dimensions without a label; they have index 0


@dataclass(frozen=True)
class Expression:
    """The parsed subscripts of a product. Labels are letters; dimensions of an ellipsis have
    letters that the text does not use."""

    terms: tuple
    output: tuple
    extents: dict


class _Parsed:
    """A term of the text: its letters with their columns, and the position of its ellipsis."""

    def __init__(self, text, begin, end):
        self.begin, self.end = begin, end
        self.letters, self.columns, self.ellipsis = [], [], None
        place = begin
        while place < end:
            letter = text[place]
            if letter == ".":
                self._add_ellipsis(text, place, end)
                place += 3
                continue
            if letter.isalpha():
                self.letters.append(letter)
                self.columns.append(place + 1)
            elif not letter.isspace():
                expected = "'->'" if letter in "->" else "a letter for an index"
                raise InputError(f"expected {expected}, found '{letter}'", text, place + 1)
            place += 1

    def _add_ellipsis(self, text, place, end):
        if text[place : min(place + 3, end)] != "...":
            raise InputError("expected '...', found '.'", text, place + 1)
        if self.ellipsis is not None:
            raise InputError("expected one ellipsis in a term, found a second one", text, place + 1, 3)
        self.ellipsis = len(self.letters)

    def place(self):
        """Returns the column and the length of the term in the text."""
        return self.begin + 1, max(self.end - self.begin, 1)


def _split(text):
    """Returns the terms of the operands, and the term of the result or None."""
    if not isinstance(text, str):
        raise TypeError(f"expected subscripts as a string, found {type(text).__name__}")
    arrow = text.find("->")
    end = len(text) if arrow < 0 else arrow
    terms, begin = [], 0
    while True:
        comma = text.find(",", begin, end)
        terms.append(_Parsed(text, begin, end if comma < 0 else comma))
        if comma < 0:
            break
        begin = comma + 1
    if arrow < 0:
        return terms, None
    comma = text.find(",", arrow + 2)
    if comma >= 0:
        raise InputError("expected one result, found ','", text, comma + 1)
    return terms, _Parsed(text, arrow + 2, len(text))


def _ellipsis_rank(text, number, term, shape):
    """Returns the number of dimensions that the ellipsis of an operand matches."""
    rank = len(shape) - len(term.letters)
    if rank < 0 or (rank > 0 and term.ellipsis is None):
        least = "at least " if term.ellipsis is not None else ""
        raise InputError(f"operand {number} has {_count(len(shape), 'dimension')}, its subscripts have {least}{len(term.letters)}", text, *term.place())
    return rank


def _count(number, noun):
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _output(text, terms, result, around):
    """Returns the labels of the result; `around` are the labels of the ellipsis."""
    known = [letter for term in terms for letter in term.letters]
    if result is None:
        return around + tuple(sorted(letter for letter in set(known) if known.count(letter) == 1))
    for place, letter in enumerate(result.letters):
        if letter not in known:
            raise InputError(f"index '{letter}' of the result is in no operand", text, result.columns[place])
        if letter in result.letters[:place]:
            raise InputError(f"index '{letter}' is twice in the result", text, result.columns[place])
    if result.ellipsis is None:
        if around:
            raise InputError(f"the operands' ellipsis matches {_count(len(around), 'dimension')}, the result has none", text, *result.place())
        return tuple(result.letters)
    return tuple(result.letters[: result.ellipsis]) + around + tuple(result.letters[result.ellipsis :])


def _extents(text, labelled, shapes, columns):
    """Returns the extent of every label: if some operands have 1, the extent of the others."""
    extents = {}
    for number, (labels, shape) in enumerate(zip(labelled, shapes)):
        own = {}
        for dimension, (label, extent) in enumerate(zip(labels, shape)):
            column = columns[number][dimension]
            known = extents.get(label, 1)
            if own.setdefault(label, extent) != extent:
                raise InputError(f"a diagonal of operand {number} has extents {own[label]} and {extent}", text, *column)
            if known not in (1, extent) and extent != 1:
                raise InputError(f"operand {number} has extent {extent} where others have {known}", text, *column)
            extents[label] = extent if known == 1 else known
    return extents


def parse(text, shapes):
    """Reads subscripts for operands of the given shapes.

    >>> parse("...ij,jk", ((2, 3, 4), (4, 5))).output
    ('a', 'i', 'k')
    """
    terms, result = _split(text)
    if len(terms) != len(shapes):
        raise InputError(f"the subscripts have {_count(len(terms), 'operand')}, found {len(shapes) or 'none'}", text, 1, max(terms[-1].end, 1))
    ranks = [_ellipsis_rank(text, number, term, shape) for number, (term, shape) in enumerate(zip(terms, shapes))]
    letters = (letter for letter in SYMBOLS if letter not in text)
    around = tuple(next(letters) for _ in range(max(ranks, default=0)))
    labelled, columns = [], []
    for term, rank in zip(terms, ranks):
        cut = len(term.letters) if term.ellipsis is None else term.ellipsis
        places = [(column, 1) for column in term.columns]
        labelled.append(tuple(term.letters[:cut]) + around[len(around) - rank :] + tuple(term.letters[cut:]))
        columns.append(places[:cut] + [term.place()] * rank + places[cut:])
    output = _output(text, terms, result, around)
    extents = _extents(text, labelled, shapes, columns)
    finished = []
    for labels, shape in zip(labelled, shapes):
        dropped = tuple(d for d, (label, extent) in enumerate(zip(labels, shape)) if extent == 1 and extents[label] != 1)
        finished.append(Term(tuple(label for d, label in enumerate(labels) if d not in dropped), dropped))
    return Expression(tuple(finished), output, extents)


def _letter(number):
    """Returns a letter for a label of the interleaved form. As in numpy, letters are in the order
    of the numbers."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"expected an integer or Ellipsis as a label, found {type(number).__name__}")
    number = number.__index__()
    if not 0 <= number < 52:
        raise InputError(f"expected labels from 0 to 51, found {number}")
    return chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)


def _sublist(labels):
    if not hasattr(labels, "__iter__"):
        raise TypeError(f"expected a list of labels after its operand, found {type(labels).__name__}")
    return "".join("..." if label is Ellipsis else _letter(label) for label in labels)


def _from_lists(arguments):
    """Reads the interleaved form: an operand, its labels, an operand, its labels, ..., and perhaps
    the labels of the result."""
    if len(arguments) < 2:
        raise InputError("expected subscripts as a string, or each operand followed by its labels")
    operands, labels = arguments[0 : len(arguments) // 2 * 2 : 2], arguments[1::2]
    text = ",".join(_sublist(one) for one in labels)
    if len(arguments) % 2 == 1:
        text += "->" + _sublist(arguments[-1])
    return text, operands


def separate(subscripts, operands):
    """Returns (text, operands) for each form that numpy.einsum takes: subscripts as a string or as
    bytes, or operands with lists of labels."""
    if isinstance(subscripts, str):
        return subscripts, operands
    if isinstance(subscripts, bytes):
        return subscripts.decode(errors="replace"), operands
    return _from_lists((subscripts, *operands))
