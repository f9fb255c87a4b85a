"""The description of the machine that a study ran on."""

import os
import platform
import re
import subprocess


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
    """Fills a folder with links to all programs on the search path that are no compilers. Returns it as a search path."""
    scripts = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts", "lib", "common.sh")
    subprocess.run(["bash", "-c", '. "$1" && folder_without_compilers "$2"', "bash", scripts, folder], check=True, stdout=subprocess.DEVNULL)
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
