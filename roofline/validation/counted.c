#include "roofline/validation/counted.h"

#include "roofline/timing/chain.h"

#define REPEAT_SECONDS 0.03 /* minimum seconds of a repeat, if the clock rate is unknown */
#define SERIES_SECONDS 2.0

const char *tcplan_count_name(enum tcplan_count count) {
    static const char *const names[TCPLAN_COUNTS] = {"work", "read", "written", "moved"};
    return names[count];
}

struct validation_setting counted_setting(const struct tcplan_machine *machine,
                                          const struct workspace *workspace, struct team *team,
                                          struct counter_source *counts, bool simulated) {
    const double clock_hz = chain_clock_hz();
    return (struct validation_setting){.machine = machine,
                                       .workspace = workspace,
                                       .team = team,
                                       .counts = counts,
                                       .simulated = simulated,
                                       .threads = 1,
                                       .least_seconds = clock_hz > 0 ? PROTOCOL_CYCLES / clock_hz
                                                                     : REPEAT_SECONDS,
                                       .most_seconds = SERIES_SECONDS};
}

static enum tcplan_verdict verdict_of_count(const struct tcplan_count_check *check,
                                            const struct tcplan_counted *counted) {
    if (!(check->expected > 0) || (check->ratio >= check->lowest && check->ratio <= check->highest))
        return TCPLAN_VERDICT_HOLDS;
    return 2 * counted->disturbed >= counted->repeats ? TCPLAN_VERDICT_NOT_TESTED
                                                      : TCPLAN_VERDICT_FAILS;
}

static void judge(struct tcplan_counted *out, enum tcplan_count count,
                  const struct protocol_quantity *found, double expected) {
    static const double highest[TCPLAN_COUNTS] = {1.20, 1.40, 2, 1.40};
    struct tcplan_count_check *check = &out->count[count];
    if (!found->known) return;
    *check = (struct tcplan_count_check){.known = true,
                                         .counted = found->median,
                                         .q1 = found->q1,
                                         .q3 = found->q3,
                                         .expected = expected,
                                         .lowest = 0.95};
    check->highest =
        count == TCPLAN_COUNT_WRITTEN && out->kernel == TCPLAN_POINT_DGEMV ? 3 : highest[count];
    if (expected > 0) check->ratio = found->median / expected;
    check->verdict = verdict_of_count(check, out);
}

struct tcplan_counted counted_judge(enum tcplan_point_kernel kernel, int64_t n, bool cold,
                                    const struct validation_result *result) {
    const struct protocol_result *bytes = &result->bytes;
    const struct validation_bounds *bounds = &result->bounds;
    const double traffic = cold ? 1 : 0;
    struct tcplan_counted out = {.kernel = kernel,
                                 .cold = cold,
                                 .n = n,
                                 .runs = bytes->runs,
                                 .replicas_bytes = result->replicas_bytes,
                                 .reduced = result->lukewarm && !result->simulated,
                                 .repeats = bytes->repeats,
                                 .disturbed = result->simulated ? 0 : bytes->disturbed};
    judge(&out, TCPLAN_COUNT_WORK, &result->time.work, bounds->flops);
    judge(&out, TCPLAN_COUNT_READ, &bytes->read, traffic * bounds->read_bytes);
    judge(&out, TCPLAN_COUNT_WRITTEN, &bytes->written, traffic * bounds->written_bytes);
    judge(&out, TCPLAN_COUNT_MOVED, &bytes->moved,
          traffic * (bounds->read_bytes + bounds->written_bytes));
    return out;
}

enum tcplan_status counted_run(struct tcplan_counted *out, enum tcplan_point_kernel kernel,
                               int64_t n, bool cold, const struct validation_setting *setting,
                               struct tcplan_error *error) {
    struct validation_result result;
    const enum tcplan_status status = validation_measure(&result, kernel, n, cold, setting, error);
    if (status == TCPLAN_OK) *out = counted_judge(kernel, n, cold, &result);
    return status;
}
