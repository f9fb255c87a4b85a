"""The description of the machine that a study ran on."""

import os
import platform
import re


def first_line(path, pattern):
    """The first group of the pattern in the first matching line; `unknown` where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return next((m.group(1) for m in (re.search(pattern, line) for line in file) if m), "unknown")
    except OSError:
        return "unknown"


def processor():
    """The name and the model: one name may denote several generations, as `AMD EPYC (family 25, model 17)`."""
    said = first_line("/proc/cpuinfo", "model name.*: (.*)")
    family, model = (first_line("/proc/cpuinfo", rf"^{key}\s*: (\d+)") for key in ("cpu family", "model"))
    return said if "unknown" in (family, model) else f"{said} (family {family}, model {model})"


def name():
    """The processor's, and the number of cores."""
    return f"{processor()}, {os.cpu_count()} cores"


def described(other=None):
    """Its name, or another one, and the kernel's version."""
    return f"{other or name()}, Linux {platform.release()}"


def running_threads():
    """Threads of this process that have a core or wait for one; 0 where the system does not tell."""
    try:
        tasks = os.listdir("/proc/self/task")
    except OSError:
        return 0
    return sum(first_line(f"/proc/self/task/{task}/stat", r"\) (\S) ") == "R" for task in tasks)


def load():
    return first_line("/proc/loadavg", r"^(\S+)")
