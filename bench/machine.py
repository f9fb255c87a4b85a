"""The description of the machine that a study ran on."""

import os
import platform
import re


def first_line(path, pattern):
    """Returns the first group of the pattern in the first matching line; `unknown` if no line matches."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return next((m.group(1) for m in (re.search(pattern, line) for line in file) if m), "unknown")
    except OSError:
        return "unknown"


def processor():
    """Returns the name of the processor and its model, as one name may denote several generations: `AMD EPYC (family 25, model 17)`."""
    said = first_line("/proc/cpuinfo", "model name.*: (.*)")
    family, model = (first_line("/proc/cpuinfo", rf"^{key}\s*: (\d+)") for key in ("cpu family", "model"))
    return said if "unknown" in (family, model) else f"{said} (family {family}, model {model})"


def name():
    """Returns the name of the machine: the processor and the number of cores."""
    return f"{processor()}, {os.cpu_count()} cores"


def described(other=None):
    """Returns the given or the detected name of the machine, and the kernel's version."""
    return f"{other or name()}, Linux {platform.release()}"


def path_without_compiler(folder):
    """Fills a folder with links to all programs on the search path except `cc`, the compiler that tcplan looks for. Returns it as a search path."""
    os.makedirs(folder)
    for place in filter(os.path.isdir, os.get_exec_path()):
        for program in os.listdir(place):
            if program != "cc" and not os.path.lexists(os.path.join(folder, program)):
                os.symlink(os.path.join(os.path.abspath(place), program), os.path.join(folder, program))
    return folder


def running_threads():
    """Returns the number of threads of this process that run or wait for a core; 0 if the system does not report it."""
    try:
        tasks = os.listdir("/proc/self/task")
    except OSError:
        return 0
    return sum(first_line(f"/proc/self/task/{task}/stat", r"\) (\S) ") == "R" for task in tasks)


def load():
    return first_line("/proc/loadavg", r"^(\S+)")
