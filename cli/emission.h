/**
 * Emits C code for an algorithm of a request.
 */
#ifndef CLI_EMISSION_H
#define CLI_EMISSION_H

#include "base/output_file.h"
#include "cli/request.h"

/** Files of an emitted function: C and, on request, a header and a Fortran module. Zero-initialise
 * before use. */
struct emission {
    const struct request *request;
    struct output_file source;
    struct output_file header;
    struct output_file fortran;
};

/** Opens the files that the options request; `path` is the path of the C file. Status as
 * output_begin(). */
enum exit_status emission_open_files(struct emission *out, const struct options *options,
                                     const char *path);

/** Returns the name of the header without folders, for the #include line; the compiler finds the
 * header next to the C file or in its search path. NULL if no header was requested. */
const char *emission_included(const struct options *options);

/** Writes an emitted text to its file, completes the file, and frees the text. If `emitted` is not
 * TCPLAN_OK, prints the error instead. */
enum exit_status emission_put(struct output_file *out, enum tcplan_status emitted, char *text);

/** Prints which algorithm or order was chosen and to which file its code was written. Prints
 * nothing with --quiet, or if the code goes to standard output. */
void emission_say_chosen(const struct options *options, const char *choice);

/** Opens the files, and checks that the emitter accepts the options. Called before a slow search.
 * `path` is the path of the C file. */
enum exit_status emission_open(struct emission *out, const struct request *request,
                               const char *path);

/** Writes the code of an algorithm for the given number of threads and the first size point, and
 * completes the files. */
enum exit_status emission_write(struct emission *emission, const struct tcplan_algorithm *algorithm,
                                int threads);

/** Returns false if the emitted function takes extents as arguments, which kernels that are
 * generated for a product cannot: it would call the BLAS instead. */
bool emission_keeps_kernel(const struct emission *emission,
                           const struct tcplan_algorithm *algorithm);

/** Finds the chosen entry of a ranking for emission, the fastest whose kernel is kept, and prints
 * notes on its quality. It is an error if no algorithm is applicable. */
enum exit_status emission_choose(const struct tcplan_entry **out, const struct emission *emission,
                                 const struct tcplan_ranking *ranking);

/** Writes the code of a ranking's chosen entry, like emission_write(). */
enum exit_status emission_write_fastest(struct emission *emission,
                                        const struct tcplan_ranking *ranking);

/** Discards incomplete files. May be called without emission_open(). */
void emission_discard(struct emission *emission);

/** Writes C for the winner of every record of a file of results to the folder of --emit, as
 * tcplan_folder_emit() does. Prints the number of functions, unless --quiet is given. */
enum exit_status emission_write_folder(const struct options *options, const char *results,
                                       const char *plans);

#endif
