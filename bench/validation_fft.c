#include "validation_fft.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The parts of FFTW's interface that are used, as its manual has them. */
typedef struct fftw_plan_s *fftw_plan;
typedef double fftw_complex[2];
enum { FFTW_FORWARD = -1, FFTW_MEASURE = 0, FFTW_ESTIMATE = 1 << 6, FFTW_NO_SIMD = 1 << 17 };

struct library {
    void *handle;
    const char *version;
    fftw_plan (*plan)(int n, fftw_complex *in, fftw_complex *out, int sign, unsigned flags);
    void (*execute)(fftw_plan plan, fftw_complex *in, fftw_complex *out);
    void (*flops)(fftw_plan plan, double *additions, double *multiplications, double *fused);
    void (*destroy)(fftw_plan plan);
};

struct fft {
    fftw_plan plan;
    double flops;
    int64_t n;
    void (*execute)(fftw_plan plan, fftw_complex *in, fftw_complex *out);
};

/** Sets a pointer to a function, which ISO C has no cast for. */
static int find(const struct library *library, void *function, const char *name) {
    void *found = dlsym(library->handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static const struct library *library_open(void) {
    static struct library library;
    if (library.handle) return &library;
    library.handle = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) return NULL;
    library.version = dlsym(library.handle, "fftw_version");
    if (find(&library, &library.plan, "fftw_plan_dft_1d") && find(&library, &library.execute, "fftw_execute_dft") &&
        find(&library, &library.flops, "fftw_flops") && find(&library, &library.destroy, "fftw_destroy_plan")) {
        return &library;
    }
    dlclose(library.handle);
    library.handle = NULL;
    return NULL;
}

const char *fft_version(void) {
    const struct library *library = library_open();
    return library ? library->version : NULL;
}

static fftw_complex *output_of(const struct fft *fft, char *memory) {
    return (fftw_complex *)memory + fft->n;
}

/** Of a plan without vector instructions, as FFTW counts one of these as one operation; 0: not known. */
static double count_flops(const struct library *library, int64_t n, char *memory) {
    double additions = 0, multiplications = 0, fused = 0;
    fftw_complex *in = (fftw_complex *)memory;
    fftw_plan plan = library->plan((int)n, in, in + n, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_NO_SIMD);
    if (!plan) return 0;
    library->flops(plan, &additions, &multiplications, &fused);
    library->destroy(plan);
    return additions + multiplications + 2 * fused;
}

struct fft *fft_new(int64_t n, char *memory) {
    const struct library *library = library_open();
    struct fft *out = library ? malloc(sizeof *out) : NULL;
    if (!out) return NULL;
    *out = (struct fft){.n = n, .execute = library->execute};
    out->plan = library->plan((int)n, (fftw_complex *)memory, output_of(out, memory), FFTW_FORWARD, FFTW_MEASURE);
    out->flops = count_flops(library, n, memory);
    if (out->plan) return out;
    free(out);
    return NULL;
}

double fft_flops(const struct fft *fft) {
    return fft->flops;
}

void fft_execute(const struct fft *fft, char *memory) {
    fft->execute(fft->plan, (fftw_complex *)memory, output_of(fft, memory));
}

static void nothing(fftw_plan plan, fftw_complex *in, fftw_complex *out) {
    (void)plan;
    (void)in;
    (void)out;
}

void fft_execute_nothing(const struct fft *fft, char *memory) {
    void (*volatile execute)(fftw_plan, fftw_complex *, fftw_complex *) = nothing; /* a call that no compiler leaves out */
    execute(fft->plan, (fftw_complex *)memory, output_of(fft, memory));
}

void fft_free(struct fft *fft) {
    if (!fft) return;
    library_open()->destroy(fft->plan);
    free(fft);
}
