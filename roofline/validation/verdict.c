#include "roofline/validation/verdict.h"

enum { WINDOWS_OF_A_PAIR = 2, HOPELESS_PAIRS = 4 };

enum tcplan_verdict verdict_of(const struct tcplan_check *check) {
    if (check->repeats == 0) return TCPLAN_VERDICT_NOT_TESTED;
    if (check->ratio >= check->lowest && check->ratio <= check->highest)
        return TCPLAN_VERDICT_HOLDS;
    return check->dropped >= WINDOWS_OF_A_PAIR * check->repeats ? TCPLAN_VERDICT_NOT_TESTED
                                                                : TCPLAN_VERDICT_FAILS;
}

enum tcplan_verdict verdict_both(enum tcplan_verdict a, enum tcplan_verdict b) {
    if (a == TCPLAN_VERDICT_FAILS || b == TCPLAN_VERDICT_FAILS) return TCPLAN_VERDICT_FAILS;
    return a == TCPLAN_VERDICT_HOLDS ? b : a;
}

bool verdict_is_hopeless(int tried, int counted) {
    return counted == 0 && tried >= HOPELESS_PAIRS;
}
