#include "torture/caller.h"

#include <fenv.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

void caller_record(struct caller *out) {
    memset(out, 0, sizeof *out);
    out->rounding = fegetround();
#if defined __SSE2__
    out->modes = __builtin_ia32_stmxcsr() & ~0x3FU;
#endif
    pthread_sigmask(SIG_SETMASK, NULL, &out->blocked);
    for (int s = 1; s < CALLER_SIGNALS; s++) sigaction(s, NULL, &out->handler[s]);
    sched_getaffinity(0, sizeof out->processors, &out->processors);
    for (char **variable = environ; *variable; variable++) out->environment += hash_text(*variable);
}

const char *caller_changed(const struct caller *before) {
    struct caller now;
    caller_record(&now);
    if (now.rounding != before->rounding) return "changes how the caller's numbers are rounded";
    if (now.modes != before->modes) return "changes the caller's floating-point modes";
    for (int s = 1; s < CALLER_SIGNALS; s++) {
        if (sigismember(&now.blocked, s) != sigismember(&before->blocked, s))
            return "changes which signals the caller blocks";
        if (now.handler[s].sa_handler != before->handler[s].sa_handler)
            return "changes a signal's handler of the caller";
    }
    if (now.environment != before->environment) return "changes the caller's environment";
    return CPU_EQUAL(&now.processors, &before->processors)
               ? NULL
               : "changes on which processors the caller runs";
}
