/**
 * Advice about the BLAS libraries that this command uses, opened files included: whether their core
 * types suit the processor, see tcplan/blas_cores.h.
 *
 * Advice comes from trials in the store. If the store has none, commands that time something run
 * them, once per library and processor. With
 * `--effort estimate`, `--no-store`, `--time-limit` or another machine, no trial runs and only
 * names are compared.
 */
#ifndef CLI_BLAS_ADVICE_H
#define CLI_BLAS_ADVICE_H

#include <stdint.h>

#include "cli/options/options.h"
#include "tcplan/unstable.h"

/** The hidden action of a process that makes one trial. */
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
 * Prints a line `warning: ...` for each library of these providers (bits), unless --quiet; returns
 * the number of lines.
 */
int blas_warnings_precede(FILE *file, uint64_t providers);

/** Prints a line `warning ...` for each. */
void blas_warnings_print(FILE *file);

/** Warns on stderr about one library, unless --quiet; for outputs without a place for advice. */
void blas_advice_diagnose(enum tcplan_provider provider, const struct options *options);

#endif
