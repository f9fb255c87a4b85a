"""Times of single calls by `tcplan sample`, measured as for models: shuffled repetitions, each preceded by executions of the same call until the core
has settled."""
import math
import random
import subprocess

SETTLING_SECONDS = 3e-3    # routines/sampler/generation/live.h
MOST_SETTLING = 2000
TRIES = 5                  # attempts for a repetition that was disturbed


class Failed(Exception):
    """tcplan sample failed; the message is the command's."""


def run(command, memory, calls):
    """Returns (seconds, whether it was disturbed) for each call. `memory`: lines of the script that allocate memory; `calls`: one line for each
    call."""
    script = "\n".join(memory + calls) + "\n"
    done = subprocess.run([command, "sample", "--quiet", "--unit", "second", "-"], input=script, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    rows = [line.split() for line in done.stdout.splitlines()]
    if len(rows) != sum(call != "go" for call in calls):
        raise Failed(f"tcplan sample printed {len(rows)} lines for {sum(call != 'go' for call in calls)} calls")
    return [(float(row[0]), "*" in row) for row in rows]


def expected(command, memory, fills, calls):
    """Returns the approximate time of each call: the shortest of three."""
    times = run(command, memory, fills + [line for line in calls.values() for _ in range(3)])[len(fills):]
    return {name: min(seconds for seconds, _ in times[3 * place:3 * place + 3]) for place, name in enumerate(calls)}


def measure(command, memory, fills, calls, repetitions, seed=1):
    """Returns the seconds of the repetitions of each call: {name: line} -> {name: [seconds]}. `fills` are calls that initialise the memory."""
    times = expected(command, memory, fills, calls)
    settling = {name: min(max(math.ceil(SETTLING_SECONDS / times[name]), 1), MOST_SETTLING) for name in calls}
    out = {name: [] for name in calls}
    jobs = [name for name in calls for _ in range(repetitions)]
    shuffled = random.Random(seed)
    for _ in range(TRIES):
        shuffled.shuffle(jobs)
        lines = fills + ["go"]
        for name in jobs:
            lines += [calls[name]] * (settling[name] + 1) + ["go"]
        at = len(fills)
        rows, again = run(command, memory, lines), []
        for name in jobs:
            at += settling[name] + 1
            seconds, disturbed = rows[at - 1]
            if disturbed:
                again.append(name)
            else:
                out[name].append(seconds)
        jobs = again
        if not jobs:
            break
    for name in calls:
        if not out[name]:
            raise Failed(f"{calls[name]}: other work had the core each time")
    return out
