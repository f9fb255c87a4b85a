/**
 * Checks whether a library with the interface TAPP, or a CBLAS, computes what its interface
 * promises. Each rule of the interface has test cases; random products follow. Each case runs in a
 * process of its own with a time limit, so that a crash or a hang is a result. A failing case is
 * reduced to a smaller one that still fails.
 */
#ifndef TCPLAN_STUDY_CONFORMANCE_H
#define TCPLAN_STUDY_CONFORMANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/export.h"
#include "tcplan/progress.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tcplan_conformance_kind { TCPLAN_CONFORMANCE_TAPP, TCPLAN_CONFORMANCE_CBLAS };

/** Result of a case. */
enum tcplan_conformance_outcome {
    TCPLAN_CONFORMANCE_PASSED,
    TCPLAN_CONFORMANCE_WRONG,    /**< a wrong result, or a write outside the memory of the result */
    TCPLAN_CONFORMANCE_REFUSED,  /**< the library reports an error for a valid product */
    TCPLAN_CONFORMANCE_ACCEPTED, /**< the library reports no error for an invalid product */
    TCPLAN_CONFORMANCE_CRASHED,
    TCPLAN_CONFORMANCE_HUNG,   /**< the case exceeded its time limit */
    TCPLAN_CONFORMANCE_SKIPPED /**< the case could not run: there is not enough memory */
};

/** A rule of the interface, with the results of its cases. */
struct tcplan_conformance_rule {
    const char *name; /**< name of the rule, such as `conjugation` */
    const char *says; /**< description of the rule */
    bool optional;    /**< whether the interface permits libraries to refuse such products, so a
                         refusal is not a failure */
    int passed;
    int failed;
    int refused; /**< number of refused cases of an optional rule */
    int skipped;
};

/** A failure: the first one of a rule, or a random product, reduced to a smaller one. Texts belong
 * to the result. */
struct tcplan_conformance_finding {
    const char *rule;
    const char *name; /**< name of the case, such as `negative A (F64)`, or `random 17` */
    enum tcplan_conformance_outcome outcome;
    const char *why;    /**< why the case fails, such as `D[1] is 2, expected 3` */
    const char *einsum; /**< the smallest product that fails */
    const char *code;   /**< the same product as a program in C */
    int count;          /**< number of failing cases of the rule, including this one */
};

struct tcplan_conformance;

struct tcplan_conformance_options {
    uint64_t seed;       /**< seed of the random products */
    int random_count;    /**< number of random products */
    double case_seconds; /**< time limit of a case in seconds; 0: 10 */
    tcplan_progress_fn *progress;
    void *progress_context;
};

/**
 * Checks the library in the file `path`. The process must not have run a BLAS or OpenMP.
 *
 * @param out  receives the results, to be freed with tcplan_conformance_free()
 * @return TCPLAN_OK, whether or not the library conforms; TCPLAN_INVALID if the file is neither
 *     kind of library; TCPLAN_ENVIRONMENT if processes cannot be started; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_conformance_run(
    struct tcplan_conformance **out, const char *path,
    const struct tcplan_conformance_options *options, struct tcplan_error *error);

TCPLAN_API void tcplan_conformance_free(struct tcplan_conformance *conformance);

TCPLAN_API enum tcplan_conformance_kind tcplan_conformance_kind(
    const struct tcplan_conformance *conformance);

/** Returns whether no case failed. */
TCPLAN_API bool tcplan_conformance_holds(const struct tcplan_conformance *conformance);

/** Returns the rules in their order. `count` receives their number. */
TCPLAN_API const struct tcplan_conformance_rule *tcplan_conformance_rules(
    const struct tcplan_conformance *conformance, int *count);

/** Returns the findings in the order of the rules. */
TCPLAN_API const struct tcplan_conformance_finding *tcplan_conformance_findings(
    const struct tcplan_conformance *conformance, int *count);

#ifdef __cplusplus
}
#endif

#endif
