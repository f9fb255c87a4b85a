/** Opens the libraries that provide kernels, and reports their versions and wrong results. */
#ifndef CLI_PROVIDERS_H
#define CLI_PROVIDERS_H

#include <stdint.h>

#include "cli/options/options.h"
#include "tcplan/unstable.h"

/** Sets the environment variables from which libraries take their number of threads when they are
 * loaded. */
void providers_set_environment(int threads);

/** Opens the files of --blas and --tapp. Returns EXIT_DONE, or EXIT_REFUSED after a message. */
enum exit_status providers_open(const struct options *options);

/** Prints notes about opened libraries that computed wrong results, unless --quiet is given. */
void providers_report_wrong(const struct options *options);

/** Prints a note about one wrong result; `text` is from tcplan_provider_wrong(). */
void providers_report_wrong_one(const char *text);

/** Prints a line for each available provider: `OpenBLAS 0.3.21 (SkylakeX)`. */
void providers_print(FILE *file);

/** Argument of the separate process that runs one trial of a core type. */
extern const char blas_serving[];

/**
 * Sets the options and the machine for the following functions, which give advice. Starts no trial
 * yet.
 *
 * @param options  borrowed until the command ends
 * @param here     NULL: the command times nothing; the machine is then read at the first request
 *                 for advice
 */
void blas_advice_use(const struct options *options, const struct tcplan_machine *here);

/** Returns the advice about a provider's library; NULL if there is none. The text is never
 * freed. */
const char *blas_advice(enum tcplan_provider provider);

enum { BLAS_WARNINGS = TCPLAN_PROVIDERS };

/** Returns how many libraries have advice; `out` receives the texts. */
int blas_warnings(const char *out[BLAS_WARNINGS]);

/**
 * Prints a line `warning: ...` for each of the given providers (as bits) that has advice, unless
 * --quiet is given. Returns the number of lines.
 */
int blas_warnings_precede(FILE *file, uint64_t providers);

/** Prints a line `warning ...` for each library with advice. */
void blas_warnings_print(FILE *file);

/** Prints advice about one library on stderr, unless --quiet is given. Used if the output itself
 * cannot contain the advice. */
void blas_advice_diagnose(enum tcplan_provider provider, const struct options *options);

#endif
