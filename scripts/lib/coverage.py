"""Line and branch coverage of the library's folders, from the counts that programs built with --coverage left.

usage: coverage.py ROOT BUILD [--missing]
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

FOLDERS = ("base", "ast", "gen", "cachesim", "models", "microbench", "contractions", "store", "plan", "roofline", "routines", "api",
           "network", "study", "bindings", "cli")


def counts_of(gcda):
    """gcov's report on one object: files with their lines."""
    said = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", gcda.name], cwd=gcda.parent, capture_output=True, check=True)
    return [file for line in said.stdout.splitlines() if line.startswith(b"{") for file in json.loads(line)["files"]]


class Counts:
    def __init__(self):
        self.lines, self.branches = {}, {}

    def add(self, line):
        number = line["line_number"]
        self.lines[number] = self.lines.get(number, 0) + line["count"]
        # Several objects contain a line of a header: its branch counts as taken if any of them takes it.
        for place, branch in enumerate(branch for branch in line["branches"] if not branch["throw"]):
            self.branches[number, place] = self.branches.get((number, place), 0) + branch["count"]


def share(counts):
    met = sum(count > 0 for count in counts)
    return f"{100 * met / len(counts):6.1f} %" if counts else "       -"


def ranges(numbers):
    """1-3, 7"""
    spans = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def print_lines(path, numbers):
    listed = ranges(sorted(numbers))
    if listed:
        print(f"{path}: {listed}")


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    files = collections.defaultdict(Counts)
    left = sorted(path for path in build.rglob("*.gcda") if path.relative_to(build).parts[0] in FOLDERS)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(counts_of, left):
            for file in found:
                path = (build / file["file"]).resolve() if not os.path.isabs(file["file"]) else pathlib.Path(file["file"]).resolve()
                if path.is_relative_to(root) and path.relative_to(root).parts[0] in FOLDERS:
                    for line in file["lines"]:
                        files[path.relative_to(root)].add(line)
    if not files:
        sys.exit("nothing was counted: build and test the preset coverage first")
    print(f"{'folder':14}{'lines':>8}{'met':>10}{'branches':>10}{'met':>10}")
    for folder in (*FOLDERS, None):
        own = [counts for path, counts in sorted(files.items()) if folder in (None, path.parts[0])]
        lines = [count for counts in own for count in counts.lines.values()]
        branches = [count for counts in own for count in counts.branches.values()]
        if lines:
            print(f"{folder or 'all':14}{len(lines):8}  {share(lines)}{len(branches):10}  {share(branches)}")
    if "--missing" in sys.argv:
        print("\nlines that nothing met:")
        for path, counts in sorted(files.items()):
            print_lines(path, (number for number, count in counts.lines.items() if count == 0))
        print("\nlines that were met, with a branch that nothing took:")
        for path, counts in sorted(files.items()):
            print_lines(path, {number for (number, _), count in counts.branches.items() if count == 0 and counts.lines[number] > 0})


main()
