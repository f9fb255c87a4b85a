"""The page that keeps the tables of every machine that was measured, newest first: what --update writes.

A machine's section is `## MACHINE`, with a part of tables for each number of threads between the lines `<!-- peers, N threads, MACHINE -->` (`N threads, type z` where elements are no doubles) and
`<!-- end -->`. New sections come behind the line `<!-- machines, newest first -->`; what people wrote between tables stays.
"""
END = "<!-- end -->"
NEWEST = "<!-- machines, newest first -->"


class BadPage(Exception):
    """A page has not the lines that are needed; the message says which."""


def machine_of(conditions):
    """Its name, as sections are headed: without the kernel's version."""
    return conditions["machine"].split(", Linux")[0]


def count_of(threads, dtype):
    return f"{threads} thread{'' if str(threads) == '1' else 's'}{'' if dtype == 'd' else f', type {dtype}'}"


def mark_of(threads, machine, dtype):
    return f"<!-- peers, {count_of(threads, dtype)}, {machine} -->"


def part(threads, machine, dtype, text):
    return f"{mark_of(threads, machine, dtype)}\n\n{text}\n{END}\n"


def end_of_section(page, start):
    """Where the section that is headed at `start` ends: the next heading of its rank, or the end."""
    following = page.find("\n## ", start + 1)
    return len(page) if following < 0 else following + 1


def updated(page, threads, machine, text, dtype="d"):
    """The page with the tables of a machine, a number of threads and a type replaced, or put in. Raises BadPage."""
    mark, new = mark_of(threads, machine, dtype), part(threads, machine, dtype, text)
    before, found, rest = page.partition(mark + "\n")
    if found:
        _, end, after = rest.partition(END + "\n")
        if not end:
            raise BadPage(f"there is no line '{END}' after '{mark}'")
        return before + new + after
    titled = f"### {count_of(threads, dtype)}\n\n{new}"
    start = page.find(f"\n## {machine}\n")
    if start >= 0:
        end = end_of_section(page, start)
        return page[:end].rstrip("\n") + f"\n\n{titled}" + ("\n" + page[end:] if end < len(page) else "")
    before, found, after = page.partition(NEWEST + "\n")
    if not found:
        raise BadPage(f"there is neither a line '{mark}' nor a heading '## {machine}' nor a line '{NEWEST}'")
    return f"{before}{NEWEST}\n\n## {machine}\n\n{titled}{after}"
