/** FFTW's transforms. The library is opened at run time, because nothing else needs it. */
#ifndef ROOFLINE_VALIDATION_FFT_H
#define ROOFLINE_VALIDATION_FFT_H

#include <stdint.h>

#include "tcplan/status.h"

/** The library to open, and its Debian package. */
#define FFT_LIBRARY "libfftw3.so.3"
#define FFT_PACKAGE "libfftw3-double3"

enum { FFT_MOST = 1 << 28 /**< largest number of elements of a transform */ };

struct fft;

/** Opens the library. Returns TCPLAN_OK, or TCPLAN_ENVIRONMENT with the reason if there is no
 * library or it lacks a function. */
enum tcplan_status fft_open(struct tcplan_error *error);

/** Returns the version of the library; NULL if it cannot be opened. */
const char *fft_version(void);

/**
 * Plans a complex forward transform of n elements (1 to FFT_MOST), out of place, for data with the
 * alignment of `memory`. FFTW times several plans there, which overwrites `memory`. This takes
 * about two seconds at most, if the library supports a limit.
 *
 * @param out  receives the plan, to be freed with fft_free()
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT as fft_open(), or if FFTW makes no plan; TCPLAN_NO_MEMORY
 */
enum tcplan_status fft_new(struct fft **out, int64_t n, char *memory, struct tcplan_error *error);

/** Returns the operations of a plan without vector instructions, as FFTW counts them: additions,
 * multiplications, and two for each fused one. 0 if unknown. */
double fft_flops(const struct fft *fft);

/** Transforms the n elements at `memory`; the result follows them. fft_execute_nothing() calls an
 * empty function in the same way. */
void fft_execute(const struct fft *fft, char *memory);
void fft_execute_nothing(const struct fft *fft, char *memory);

/** Frees a plan; NULL is fine. */
void fft_free(struct fft *fft);

#endif
