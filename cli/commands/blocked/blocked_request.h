/**
 * What `tcplan blocked` and its actions share: which algorithms are meant, at which sizes.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_REQUEST_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_REQUEST_H

#include "cli/options/options.h"
#include "tcplan/blocked.h"

/** first, first + step, ... up to last. */
struct blocked_sweep {
    int64_t first, last, step;
};

/** Values of a sweep. */
int64_t blocked_sweep_count(const struct blocked_sweep *sweep);
int64_t blocked_sweep_at(const struct blocked_sweep *sweep, int64_t place);

/** The algorithms that a name means, in the order of their operation, or of their file. */
struct blocked_request {
    const struct options *options;
    const char *name;                   /**< as it was given; NULL: none */
    struct tcplan_blocked_operation of; /**< theirs; of users' own the name is NULL, and a block is
                                           64 */
    int count;
    struct tcplan_blocked **algorithm; /**< owned */
    int size_count;                    /**< 1: n; 2: m and n; more: of products, given by --sizes */
    struct blocked_sweep size[TCPLAN_BLOCK_SIZES]; /**< as struct tcplan_blocked_sizes has them */
    struct blocked_sweep block;
    bool sized; /**< sizes are given */
};

/**
 * Finds the algorithms that the argument behind the action's name means, of tcplan or of the file
 * of `--algorithms`, and reads `--n`, `--m` or
 * `--sizes`, and `--block`. m is n unless it is given.
 *
 * @param out     to be freed with blocked_request_free() whatever is returned
 * @param wants_sizes  --n has to be given
 * @return EXIT_DONE, or another status after a message
 */
enum exit_status blocked_request_read(struct blocked_request *out, const struct options *options,
                                      bool wants_sizes);

void blocked_request_free(struct blocked_request *request);

/** The sizes at places of the sweeps. m goes with n where it is not given by itself. */
struct tcplan_blocked_sizes blocked_request_sizes(const struct blocked_request *request,
                                                  int64_t place, int64_t block_place);

/** Refuses several algorithms, and several sizes where sizes are given, which an action, that is
 * named, does not take: EXIT_DONE or another status after a message. */
enum exit_status blocked_request_single(const struct blocked_request *request, const char *action);

/** Places of the sizes' sweeps, which go together: those of the longest. */
int64_t blocked_request_points(const struct blocked_request *request);

#endif
