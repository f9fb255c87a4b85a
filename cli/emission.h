/**
 * Emitting C for an algorithm of a request.
 */
#ifndef CLI_EMISSION_H
#define CLI_EMISSION_H

#include "base/output_file.h"
#include "cli/request.h"

/** The files of an emitted function: its C, and where asked for a header and a module of Fortran.
 * Zero-initialise before use. */
struct emission {
    const struct request *request;
    struct output_file source;
    struct output_file header;
    struct output_file fortran;
};

/** Opens the files early, and checks that the emitter accepts the options, before time is spent on
 * finding the algorithm; `path` is the C's. */
enum exit_status emission_open(struct emission *out, const struct request *request,
                               const char *path);

/** Writes what is emitted for an algorithm, with so many threads, at the request's first size
 * point, and completes the files. */
enum exit_status emission_write(struct emission *emission, const struct tcplan_algorithm *algorithm,
                                int threads);

/** What is emitted of a ranking: its choice, with notes on how good that is; refused if no
 * algorithm applies. */
enum exit_status emission_choose(const struct tcplan_entry **out, const struct emission *emission,
                                 const struct tcplan_ranking *ranking);

/** As emission_write(), for that. */
enum exit_status emission_write_fastest(struct emission *emission,
                                        const struct tcplan_ranking *ranking);

/** Gives files up that are not complete; fine without an open. */
void emission_discard(struct emission *emission);

/** Writes C for the winner of every record of a file of results into the folder of --emit; says how
 * many there are, unless --quiet. */
enum exit_status emission_write_folder(const struct options *options, const char *results);

#endif
