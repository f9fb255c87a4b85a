"""Updates the page that has the tables of every measured machine, newest first: implements --update.

A machine's section has the heading `## MACHINE` and one part for each number of threads. A part is
between the lines `<!-- peers, N threads, MACHINE -->` and `<!-- end -->`; the first line has `N
threads, type z` if elements are not doubles, `N threads, elementwise` if the tables have only that
set. New sections are inserted after the line `<!-- machines, newest first -->`. Text outside the
parts is unchanged.
"""
END = "<!-- end -->"
NEWEST = "<!-- machines, newest first -->"


class BadPage(Exception):
    """A page lacks the necessary lines; the message names the page."""


def machine_of(conditions):
    """Returns the name of the machine as used in headings: without the kernel's version."""
    return conditions["machine"].split(", Linux")[0]


def count_of(threads, dtype, only=None):
    """Returns the text that names threads, type and set of a table. @param only  the only set in the tables"""
    words = [f"{threads} thread{'' if str(threads) == '1' else 's'}"] + ([] if dtype == "d" else [f"type {dtype}"]) + ([only] if only else [])
    return ", ".join(words)


def mark_of(counted, machine):
    """Returns the mark of a machine's tables. @param counted  the text of count_of()"""
    return f"<!-- peers, {counted}, {machine} -->"


def end_of_section(page, start):
    """Returns the position at which the section starting at `start` ends: the next heading of the same level, or the end."""
    following = page.find("\n## ", start + 1)
    return len(page) if following < 0 else following + 1


def updated(page, threads, machine, text, dtype="d", only=None):
    """Returns the page with the tables of a machine, a number of threads, a type and possibly a single set inserted or replaced. Raises BadPage."""
    counted = count_of(threads, dtype, only)
    mark = mark_of(counted, machine)
    new = f"{mark}\n\n{text}\n{END}\n"
    before, found, rest = page.partition(mark + "\n")
    if found:
        _, end, after = rest.partition(END + "\n")
        if not end:
            raise BadPage(f"there is no line '{END}' after '{mark}'")
        return before + new + after
    titled = f"### {counted}\n\n{new}"
    start = page.find(f"\n## {machine}\n")
    if start >= 0:
        end = end_of_section(page, start)
        return page[:end].rstrip("\n") + f"\n\n{titled}" + ("\n" + page[end:] if end < len(page) else "")
    before, found, after = page.partition(NEWEST + "\n")
    if not found:
        raise BadPage(f"there is neither a line '{mark}' nor a heading '## {machine}' nor a line '{NEWEST}'")
    return f"{before}{NEWEST}\n\n## {machine}\n\n{titled}{after}"
