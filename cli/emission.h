/**
 * Emitting C for an algorithm of a request.
 */
#ifndef CLI_EMISSION_H
#define CLI_EMISSION_H

#include "base/output_file.h"
#include "cli/request.h"

/** Whether the emitter accepts the options, such as the function's name, before time is spent on finding the algorithm. */
enum exit_status emission_check(const struct request *request);

/** Writes C for an algorithm at the request's first size point, and completes the output. */
enum exit_status emission_write(const struct request *request, const struct tcplan_algorithm *algorithm, struct output_file *out);

/** As emission_write(), for the fastest of a ranking; refused where no algorithm applies. */
enum exit_status emission_write_fastest(const struct request *request, const struct tcplan_ranking *ranking, struct output_file *out);

/** Writes C for the winner of every record of a file of results into the folder of --emit; says how many there are, unless --quiet. */
enum exit_status emission_write_folder(const struct options *options, const char *results);

#endif
