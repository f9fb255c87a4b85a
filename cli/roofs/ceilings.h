/**
 * The ceilings that a command stands on: those that are kept, or measured now and kept.
 */
#ifndef CLI_ROOFS_CEILINGS_H
#define CLI_ROOFS_CEILINGS_H

#include "cli/request.h"

/** What points need to be placed: the ceilings of some types with one number of threads. */
struct ceilings_needed {
    unsigned dtypes; /**< 1 << type of each; 0: all ceilings are wanted */
    int threads;     /**< unless --threads says; 0: one a core */
    bool lenient;    /**< the file of --ceilings may have other numbers of threads */
};

/**
 * Obtains the ceilings that the options of `roofline` ask for. What is not kept is measured until
 * the request's deadline, or ^C; what was measured until then is kept and returned, and a note says
 * how much is missing.
 *
 * @param out     receives them, to be freed with tcplan_roofline_free()
 * @param kept    receives whether they were there
 * @param needed  by what is to be placed
 * @return EXIT_DONE, or another status after its message was printed
 */
enum exit_status ceilings_obtain(struct tcplan_roofline **out, bool *kept,
                                 const struct request *request, struct ceilings_needed needed);

#endif
