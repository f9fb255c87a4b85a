/**
 * Checks whether a library with the interface TAPP, or a CBLAS, computes what its interface
 * promises, and how fast. Cases of each rule come first, then random products. Each case runs in a
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
    TCPLAN_CONFORMANCE_WRONG,    /**< a wrong result, or a write outside of the result */
    TCPLAN_CONFORMANCE_REFUSED,  /**< an error for a valid product */
    TCPLAN_CONFORMANCE_ACCEPTED, /**< no error for an invalid product */
    TCPLAN_CONFORMANCE_CRASHED,
    TCPLAN_CONFORMANCE_HUNG,   /**< it exceeded the time limit */
    TCPLAN_CONFORMANCE_SKIPPED /**< it could not be run: there is not enough memory */
};

/** A rule of the interface, with the results of its cases. */
struct tcplan_conformance_rule {
    const char *name; /**< as `conjugation` */
    const char *says; /**< a phrase */
    bool optional;    /**< a refusal is no failure: the interface leaves it to the library */
    int passed;
    int failed;
    int refused; /**< of an optional rule */
    int skipped;
};

/** A failure: the first of its rule, or a random product, reduced. Texts belong to the result. */
struct tcplan_conformance_finding {
    const char *rule;
    const char *name; /**< of the case, as `negative A (F64)`, or `random 17` */
    enum tcplan_conformance_outcome outcome;
    const char *why;    /**< as `D[1] is 2, expected 3` */
    const char *einsum; /**< the smallest product that fails */
    const char *code;   /**< the same as a program in C */
    int count;          /**< failing cases of the rule, this one included */
};

struct tcplan_conformance;

struct tcplan_conformance_options {
    uint64_t seed;       /**< of random products */
    int random_count;    /**< number of random products */
    double case_seconds; /**< time limit of a case; 0: 10 */
    tcplan_progress_fn *progress;
    void *progress_context;
};

/**
 * Checks the library in file `path`. The process must not have run a BLAS or OpenMP.
 *
 * @param out  receives the results, to be freed with tcplan_conformance_free()
 * @return TCPLAN_OK, whether or not the library conforms; TCPLAN_INVALID if the file is no such
 *         library; TCPLAN_ENVIRONMENT if processes cannot be started; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_conformance_run(
    struct tcplan_conformance **out, const char *path,
    const struct tcplan_conformance_options *options, struct tcplan_error *error);

TCPLAN_API void tcplan_conformance_free(struct tcplan_conformance *conformance);

TCPLAN_API enum tcplan_conformance_kind tcplan_conformance_kind(
    const struct tcplan_conformance *conformance);

/** Whether no case failed. */
TCPLAN_API bool tcplan_conformance_holds(const struct tcplan_conformance *conformance);

/** The rules in their order. `count` receives their number. */
TCPLAN_API const struct tcplan_conformance_rule *tcplan_conformance_rules(
    const struct tcplan_conformance *conformance, int *count);

/** The findings in the order of the rules. */
TCPLAN_API const struct tcplan_conformance_finding *tcplan_conformance_findings(
    const struct tcplan_conformance *conformance, int *count);

#ifdef __cplusplus
}
#endif

#endif
