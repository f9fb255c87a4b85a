/** Libraries of kernels in commands: files to open, versions, wrong results. */
#ifndef CLI_PROVIDERS_H
#define CLI_PROVIDERS_H

#include <stdint.h>

#include "cli/options/options.h"
#include "tcplan/unstable.h"

/** Sets the environment variables from which libraries take their number of threads when they are
 * loaded. */
void providers_set_environment(int threads);

/** Opens the files of --blas and --tapp; EXIT_DONE, or EXIT_REFUSED after a message. */
enum exit_status providers_open(const struct options *options);

/** Notes wrong results of opened libraries, unless --quiet. */
void providers_report_wrong(const struct options *options);

/** Notes one wrong result, with the text of tcplan_provider_wrong(). */
void providers_report_wrong_one(const char *text);

/** Prints a line for each available provider: `OpenBLAS 0.3.21 (SkylakeX)`. */
void providers_print(FILE *file);

/** Argument of a process that makes one trial of a core type. */
extern const char blas_serving[];

/**
 * Sets the options and the machine that the advice below is for. Starts no trial yet.
 *
 * @param options  borrowed until the command ends
 * @param here     NULL: the command times nothing; the machine is then read at the first request
 *                 for advice
 */
void blas_advice_use(const struct options *options, const struct tcplan_machine *here);

/** Returns the advice about a provider's library; NULL: none. The text is never freed. */
const char *blas_advice(enum tcplan_provider provider);

enum { BLAS_WARNINGS = TCPLAN_PROVIDERS };

/** Returns the number of texts with advice, and the texts. */
int blas_warnings(const char *out[BLAS_WARNINGS]);

/**
 * Prints a line `warning: ...` for each of these providers (bits) with advice, unless --quiet;
 * returns the number of lines.
 */
int blas_warnings_precede(FILE *file, uint64_t providers);

/** Prints a line `warning ...` for each library with advice. */
void blas_warnings_print(FILE *file);

/** Prints advice about one library on stderr, unless --quiet, for outputs that cannot contain it.
 */
void blas_advice_diagnose(enum tcplan_provider provider, const struct options *options);

#endif
