#include "roofline/validation/fft.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define PLANNING_SECONDS 2.0

/* The part of FFTW's interface that is used here, declared as in its manual. */
typedef struct fftw_plan_s *fftw_plan;
typedef double fftw_complex[2];
enum { FFTW_FORWARD = -1, FFTW_MEASURE = 0, FFTW_ESTIMATE = 1 << 6, FFTW_NO_SIMD = 1 << 17 };

static struct library {
    void *handle; /* the opened library; NULL: it was not found, for the reason in `why_not` */
    char why_not[160];
    const char *version;
    fftw_plan (*plan)(int n, fftw_complex *in, fftw_complex *out, int sign, unsigned flags);
    void (*execute)(fftw_plan plan, fftw_complex *in, fftw_complex *out);
    void (*flops)(fftw_plan plan, double *additions, double *multiplications, double *fused);
    void (*destroy)(fftw_plan plan);
    void (*limit)(double seconds); /* the function fftw_set_timelimit(); NULL: the library lacks it
                                    */
} library;

struct fft {
    fftw_plan plan;
    double flops;
    int64_t n;
};

/** Finds a function of the library and stores it in *function, because ISO C has no cast from
 * dlsym()'s result to a function pointer. */
static bool find(void *function, const char *name) {
    void *found = dlsym(library.handle, name);
    memcpy(function, &found, sizeof found);
    if (!found && !*library.why_not)
        snprintf(library.why_not, sizeof library.why_not, "it has no %s()", name);
    return found != NULL;
}

static void open_once(void) {
    library.handle = dlopen(FFT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) {
        const char *reason = dlerror();
        snprintf(library.why_not, sizeof library.why_not, "%s",
                 reason ? reason : "no reason is given");
        return;
    }
    const bool whole =
        find(&library.plan, "fftw_plan_dft_1d") && find(&library.execute, "fftw_execute_dft") &&
        find(&library.flops, "fftw_flops") && find(&library.destroy, "fftw_destroy_plan");
    if (!whole) {
        dlclose(library.handle);
        library.handle = NULL;
        return;
    }
    library.version = dlsym(library.handle, "fftw_version");
    find(&library.limit, "fftw_set_timelimit");
}

enum tcplan_status fft_open(struct tcplan_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, open_once) == 0 && library.handle) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT,
                     "an FFT needs FFTW, and " FFT_LIBRARY
                     " cannot be opened: %s (Debian: " FFT_PACKAGE ")",
                     library.why_not);
}

const char *fft_version(void) {
    return fft_open(NULL) != TCPLAN_OK ? NULL : library.version ? library.version : "FFTW";
}

static fftw_complex *output_of(const struct fft *fft, char *memory) {
    return (fftw_complex *)(void *)memory + fft->n;
}

/** Returns the operations of a plan without vector instructions, which FFTW would count as one
 * operation each; 0 if unknown. */
static double count_flops(int64_t n, char *memory) {
    double additions = 0, multiplications = 0, fused = 0;
    fftw_complex *in = (fftw_complex *)(void *)memory;
    fftw_plan plan = library.plan((int)n, in, in + n, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_NO_SIMD);
    if (!plan) return 0;
    library.flops(plan, &additions, &multiplications, &fused);
    library.destroy(plan);
    return additions + multiplications + 2 * fused;
}

enum tcplan_status fft_new(struct fft **out, int64_t n, char *memory, struct tcplan_error *error) {
    enum tcplan_status status = fft_open(error);
    if (status != TCPLAN_OK) return status;
    struct fft *fft = base_alloc(sizeof *fft);
    if (!fft) return error_no_memory(error);
    *fft = (struct fft){.n = n};
    if (library.limit) library.limit(PLANNING_SECONDS);
    fft->plan = library.plan((int)n, (fftw_complex *)(void *)memory, output_of(fft, memory),
                             FFTW_FORWARD, FFTW_MEASURE);
    fft->flops = fft->plan ? count_flops(n, memory) : 0;
    if (!fft->plan) {
        base_free(fft);
        return error_set(error, TCPLAN_ENVIRONMENT, "FFTW cannot plan %lld elements", (long long)n);
    }
    *out = fft;
    return TCPLAN_OK;
}

double fft_flops(const struct fft *fft) {
    return fft->flops;
}

void fft_execute(const struct fft *fft, char *memory) {
    library.execute(fft->plan, (fftw_complex *)(void *)memory, output_of(fft, memory));
}

static void nothing(fftw_plan plan, fftw_complex *in, fftw_complex *out) {
    (void)plan;
    (void)in;
    (void)out;
}

void fft_execute_nothing(const struct fft *fft, char *memory) {
    /* volatile, so that the compiler does not omit the call */
    void (*volatile execute)(fftw_plan, fftw_complex *, fftw_complex *) = nothing;
    execute(fft->plan, (fftw_complex *)(void *)memory, output_of(fft, memory));
}

void fft_free(struct fft *fft) {
    if (!fft) return;
    library.destroy(fft->plan);
    base_free(fft);
}
