/**
 * The cases of each rule: tables of small products. The cases of TAPP follow its specification and
 * its reference implementation; those of a CBLAS follow the BLAS standard.
 */
#ifndef STUDY_CONFORMANCE_CASES_H
#define STUDY_CONFORMANCE_CASES_H

#include "study/conformance/library.h"

enum { CASE_NAME = 64, RULES_MAX = 24 };

struct named_product {
    const char *rule;
    char name[CASE_NAME];
    struct product product;
};

/** Returns the rules of an interface; the last one is `random`, followed by a rule without a
 * name. */
const struct tcplan_conformance_rule *rules_of(enum tcplan_conformance_kind kind);

/** Makes case `number` of an interface, from 0; returns false if there are no more. */
bool case_of(struct named_product *out, enum tcplan_conformance_kind kind, int number);

/** Draws a random product of an interface. */
void case_draw(struct named_product *out, enum tcplan_conformance_kind kind, uint64_t seed,
               int number);

/** A product for a CBLAS routine. cblas_product() sets alpha to 1, and beta to 1 for routines that
 * only add, otherwise to 0. */
struct cblas_shape {
    enum cblas_kind routine;
    int m, n, k;
    bool is_row_major;
    unsigned transposed;
    unsigned conjugated;
    int pad;            /* number added to the smallest leading dimensions */
    int step_x, step_y; /* increments of the vectors; 0 stands for 1 */
};
void cblas_product(struct product *out, const struct cblas_shape *shape, TAPP_datatype type);

/** Makes case `number` of a CBLAS; returns false after the last one. */
bool cblas_case(struct named_product *out, int number);
void cblas_draw(struct product *out, uint64_t seed);
extern const struct tcplan_conformance_rule cblas_rules[];

/** Returns `F32`, `F64`, `C32` or `C64`. */
const char *type_name(TAPP_datatype type);

#endif
