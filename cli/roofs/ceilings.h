/** Obtains the ceilings for a command: from the store, or by measuring and storing them. */
#ifndef CLI_ROOFS_CEILINGS_H
#define CLI_ROOFS_CEILINGS_H

#include "cli/request.h"

/** The ceilings that a command needs. Points need only those for their element types and one number
 * of threads. */
struct ceilings_needed {
    unsigned dtypes; /**< element types, as bits 1 << type; 0: all ceilings */
    int threads;     /**< number of threads if --threads is not given; 0: one per core */
    bool lenient;    /**< whether the file of --ceilings may have other numbers of threads */
};

/**
 * Obtains the ceilings that the options of `roofline` request. Measures missing ceilings until the
 * request's deadline or ^C. Stores and returns the ceilings that were measured, and prints a note
 * on how many are missing.
 *
 * @param out     receives the ceilings, to be freed with tcplan_roofline_free()
 * @param stored  receives whether they are from the store or a file
 * @param needed  the ceilings that the points need
 * @return EXIT_DONE, or another status after a message
 */
enum exit_status ceilings_obtain(struct tcplan_roofline **out, bool *stored,
                                 const struct request *request, struct ceilings_needed needed);

#endif
