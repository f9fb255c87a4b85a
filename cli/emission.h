/**
 * Emitting C for an algorithm of a request.
 */
#ifndef CLI_EMISSION_H
#define CLI_EMISSION_H

#include "base/output_file.h"
#include "cli/request.h"

/** The files of an emitted function: its C and, on request, a header and a Fortran module.
 * Zero-initialise before use. */
struct emission {
    const struct request *request;
    struct output_file source;
    struct output_file header;
    struct output_file fortran;
};

/** Opens the files that the options request; `path` is the C's. Status as output_begin(). */
enum exit_status emission_open_files(struct emission *out, const struct options *options,
                                     const char *path);

/** Returns the name of the header without folders, as the C includes it: the compiler finds it next
 * to the C file or in its search path. NULL: no header was requested. */
const char *emission_included(const struct options *options);

/** Writes and frees an emitted text, unless it is NULL, and completes its file; prints the error if
 * `emitted` is one. */
enum exit_status emission_put(struct output_file *out, enum tcplan_status emitted, char *text);

/** Opens the files and checks that the emitter accepts the options, before the expensive search;
 * `path` is the C's. */
enum exit_status emission_open(struct emission *out, const struct request *request,
                               const char *path);

/** Writes the code of an algorithm with so many threads, at the request's first size point, and
 * completes the files. */
enum exit_status emission_write(struct emission *emission, const struct tcplan_algorithm *algorithm,
                                int threads);

/** Finds the choice of a ranking to emit, and prints notes on its quality; an error if no algorithm
 * applies. */
enum exit_status emission_choose(const struct tcplan_entry **out, const struct emission *emission,
                                 const struct tcplan_ranking *ranking);

/** Writes the choice of a ranking, as emission_write(). */
enum exit_status emission_write_fastest(struct emission *emission,
                                        const struct tcplan_ranking *ranking);

/** Discards incomplete files; allowed without emission_open(). */
void emission_discard(struct emission *emission);

/** Writes C for the winner of every record of a file of results into the folder of --emit; prints
 * their number, unless --quiet. */
enum exit_status emission_write_folder(const struct options *options, const char *results);

#endif
