/** Tables of fields that several kinds of results have. */
#ifndef CLI_RENDER_COMMON_FIELDS_H
#define CLI_RENDER_COMMON_FIELDS_H

#include "cli/render/fields.h"

/** A requested contraction. */
struct asked {
    const struct request *request;
    const struct tcplan_problem *problem; /**< the problem; NULL: the request has no sizes */
};

extern const struct field asked_fields[];          /**< fields of struct asked */
extern const struct field tcplan_machine_fields[]; /**< fields of the structs with the names that
                                                      precede `_fields` */
extern const struct field tcplan_load_fields[];
extern const struct field tcplan_core_speed_fields[];
extern const struct field memory_fields[];    /**< fields of struct options that limit memory */
extern const struct field planning_fields[];  /**< fields of struct options for the settings of
                                                 planning */
extern const struct field libraries_fields[]; /**< fields of struct tcplan_blas: the BLAS, all
                                                 providers of kernels, and warnings */

#endif
