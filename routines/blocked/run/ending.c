#include "routines/blocked/run/ending.h"

#include <string.h>

static bool is_one_of(const char *base, const char *const names[]) {
    for (; *names; names++) {
        if (strcmp(base, *names) == 0) return true;
    }
    return false;
}

struct ending ending_of(const struct signature *signature) {
    static const char *const cholesky[] = {"potf2", "potrf2", "potrf", NULL};
    static const char *const lu[] = {"getf2", "getrf2", "getrf", NULL};
    static const char *const inverse[] = {"trtri", NULL};
    static const char *const sylvester[] = {"trsyl", NULL};
    static const char *const silent[] = {
        "trti2", "lauu2", "lauum", "sygs2", "hegs2", "sygst", "hegst",       "geqr2",       "gelq2",
        "geqrf", "ormqr", "unmqr", "gels",  "sytrd", "hetrd", "sytrd_sy2sb", "hetrd_he2hb", NULL};
    if (is_one_of(signature->base, cholesky))
        return (struct ending){.end = TCPLAN_BLOCKED_INDEFINITE, .is_row = true};
    if (is_one_of(signature->base, lu))
        return (struct ending){.end = TCPLAN_BLOCKED_SINGULAR, .is_row = true, .goes_on = true};
    if (is_one_of(signature->base, inverse))
        return (struct ending){.end = TCPLAN_BLOCKED_SINGULAR, .is_row = true};
    if (is_one_of(signature->base, sylvester)) return (struct ending){.end = TCPLAN_BLOCKED_CLOSE};
    return (struct ending){.end = TCPLAN_BLOCKED_FAILED,
                           .is_silent = is_one_of(signature->base, silent)};
}

int ending_scale(const struct signature *signature) {
    const int a = signature_argument(signature, "scale");
    return a >= 0 && signature->argument[a].class == SIGNATURE_DATA ? a : -1;
}

int ending_diagonal(const struct signature *whole, const int64_t value[]) {
    static const char *const factors[] = {"sygst", "hegst", "sygs2", "hegs2", NULL};
    static const char *const inverted[] = {"trtri", "trti2", NULL};
    const int diag = signature_argument(whole, "diag");
    if (is_one_of(whole->base, inverted))
        return diag >= 0 && value[diag] == 'U' ? -1 : signature_argument(whole, "A");
    return is_one_of(whole->base, factors) ? signature_argument(whole, "B") : -1;
}

const char *tcplan_blocked_end_text(enum tcplan_blocked_end end) {
    static const char *const text[TCPLAN_BLOCKED_ENDS] = {
        "computed", "not positive definite", "singular", "eigenvalues too close", "failed"};
    return text[end];
}
