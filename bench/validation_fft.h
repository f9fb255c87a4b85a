/**
 * FFTW's transforms, where its library is: it is opened when the program runs, and needed by nothing.
 */
#ifndef BENCH_VALIDATION_FFT_H
#define BENCH_VALIDATION_FFT_H

#include <stdint.h>

struct fft;

/** Plans a complex forward transform of n elements, out of place, for data that lie as those at `memory` do, which are overwritten; NULL where there is no FFTW. */
struct fft *fft_new(int64_t n, char *memory);

/** The version that was opened, or NULL. */
const char *fft_version(void);

/** Operations of a plan without vector instructions as FFTW counts them: additions, multiplications, and two for each fused one. 0: not known. */
double fft_flops(const struct fft *fft);

/** Transforms what lies at `memory` (n elements) to behind it; the second does all but that. */
void fft_execute(const struct fft *fft, char *memory);
void fft_execute_nothing(const struct fft *fft, char *memory);

/** NULL is fine. */
void fft_free(struct fft *fft);

#endif
