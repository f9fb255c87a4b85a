/**
 * The algorithms and sizes that the arguments of `tcplan blocked` select.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_REQUEST_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_REQUEST_H

#include "cli/options/options.h"
#include "tcplan/blocked.h"

/** The values first, first + step, and so on, up to `last`. */
struct blocked_sweep {
    int64_t first, last, step;
};

/** Returns the number of values of a sweep. */
int64_t blocked_sweep_count(const struct blocked_sweep *sweep);
int64_t blocked_sweep_at(const struct blocked_sweep *sweep, int64_t place);

/** The selected algorithms, in the order of their operation or file. */
struct blocked_request {
    const struct options *options;
    const char *name;                   /**< argument as given; NULL: none */
    struct tcplan_blocked_operation of; /**< operation of the algorithms. For algorithms of a file,
                                           its name is NULL and the default block size is 64 */
    int count;
    struct tcplan_blocked **algorithm; /**< owned */
    int size_count; /**< number of sizes. 1: n; 2: m and n; more: sizes of a product, from --sizes
                     */
    struct blocked_sweep size[TCPLAN_BLOCK_SIZES]; /**< ordered as in struct tcplan_blocked_sizes */
    struct blocked_sweep block;
    bool sized; /**< whether sizes are given */
};

/**
 * Finds the built-in algorithms, or those of `--algorithms`, that the argument after the action
 * selects. Reads `--n`, `--m` (default: n) or `--sizes`, and `--block`.
 *
 * @param out     receives the request, to be freed with blocked_request_free() even after an error
 * @param needs_sizes  whether --n is required
 * @return EXIT_DONE, or another status after a message
 */
enum exit_status blocked_request_read(struct blocked_request *out, const struct options *options,
                                      bool needs_sizes);

/** Like blocked_request_read() without required sizes, but a routine without flags selects the
 * operations of all flags: potrf those of potrf_L and potrf_U, for example. */
enum exit_status blocked_request_read_routine(struct blocked_request *out,
                                              const struct options *options);

void blocked_request_free(struct blocked_request *request);

/** Returns the sizes at the given positions of the sweeps. If m is not given, m = n. */
struct tcplan_blocked_sizes blocked_request_sizes(const struct blocked_request *request,
                                                  int64_t place, int64_t block_place);

/** Rejects several algorithms for an action that accepts only one and, if sizes are given, several
 * sizes. Returns EXIT_DONE, or another status after a message. */
enum exit_status blocked_request_single(const struct blocked_request *request, const char *action);

/** Returns the number of size points: the length of the longest sweep, because sweeps advance
 * together. */
int64_t blocked_request_points(const struct blocked_request *request);

#endif
