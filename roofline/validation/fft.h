/**
 * FFTW's transforms, where its library is: it is opened when the program runs, and needed by
 * nothing.
 */
#ifndef ROOFLINE_VALIDATION_FFT_H
#define ROOFLINE_VALIDATION_FFT_H

#include <stdint.h>

#include "tcplan/status.h"

/** The library to load, and its Debian package. */
#define FFT_LIBRARY "libfftw3.so.3"
#define FFT_PACKAGE "libfftw3-double3"

enum { FFT_MOST = 1 << 28 /**< elements of a transform */ };

struct fft;

/** Opens the library: TCPLAN_OK, or TCPLAN_ENVIRONMENT with the reason if there is none, or it
 * lacks a function. */
enum tcplan_status fft_open(struct tcplan_error *error);

/** The version that was opened, or NULL. */
const char *fft_version(void);

/**
 * Plans a complex forward transform of n elements (1 to FFT_MOST), out of place, for data that lie
 * as those at `memory` do, which are overwritten. FFTW times some plans for that, for two seconds
 * or so if it can bound that.
 *
 * @param out  receives it, to be freed with fft_free()
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT as fft_open(), or where FFTW makes no plan;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status fft_new(struct fft **out, int64_t n, char *memory, struct tcplan_error *error);

/** Operations of a plan without vector instructions as FFTW counts them: additions,
 * multiplications, and two for each fused one. 0: not known. */
double fft_flops(const struct fft *fft);

/** Transforms what lies at `memory` (n elements) to behind it; the second does all but that. */
void fft_execute(const struct fft *fft, char *memory);
void fft_execute_nothing(const struct fft *fft, char *memory);

/** NULL is fine. */
void fft_free(struct fft *fft);

#endif
