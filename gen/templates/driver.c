/*
 * Driver: checks the algorithm at EMIT_small_sizes against nested loops, and times the function at
 * its own extents.EMIT_about_threads
 */
EMIT_small_function;

/* Computes the contraction at the small extents by its definition. size: receives the sum of the
 * magnitudes of each element's terms. */
static void EMIT_function_naive(EMIT_input_parameters, EMIT_element *EMIT_result, double *size) {
    EMIT_naive_loops;
}

/* Uniform in [-1, 1). */
static double EMIT_function_random(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) * 0x1p-52 - 1.0;
}

EMIT_fill;

/* Returns the largest error of an element, divided by the sum of magnitudes of its terms; negative
 * if out of memory. */
static double EMIT_function_check(void) {
    enum {
        A_COUNT = EMIT_small_A_room,
        B_COUNT = EMIT_small_B_room,
        EMIT_result_COUNT = EMIT_small_result_room
    };
    static EMIT_element A[A_COUNT], B[B_COUNT], EMIT_result[EMIT_result_COUNT],
        expected[EMIT_result_COUNT];
    static double size[EMIT_result_COUNT];
    double worst = 0.0;
    EMIT_function_fill(A, A_COUNT);
    EMIT_function_fill(B, B_COUNT);
    EMIT_small_addend;
    EMIT_function_fill(EMIT_result, EMIT_result_COUNT);
    for (int j = 0; j < EMIT_result_COUNT; j++) expected[j] = EMIT_result[j];
    EMIT_function_naive(EMIT_small_inputs, EMIT_small_expected_start, EMIT_small_size_start);
    if (EMIT_small_call != 0) return -1.0;
    for (int j = 0; j < EMIT_result_COUNT; j++) {
        const double error =
            EMIT_magnitude(EMIT_result[j] - expected[j]) / (size[j] > 0.0 ? size[j] : 1.0);
        if (isnan(error)) return error;
        worst = fmax(worst, error);
    }
    return worst;
}

/* Returns the seconds since its first call. */
static double EMIT_function_now(void) {
    static time_t start;
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    if (!start) start = t.tv_sec;
    return (double)(t.tv_sec - start) + 1e-9 * (double)t.tv_nsec;
}

static int EMIT_function_by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls the function once. Its name may be that of any variable below, so the call is here. */
static int EMIT_function_run(EMIT_input_parameters, EMIT_element *EMIT_result) {
    return EMIT_call;
}

/* Returns the seconds of `calls` calls; negative if out of memory. */
static double EMIT_function_sample(EMIT_input_parameters, EMIT_element *EMIT_result, int calls) {
    const double start = EMIT_function_now();
    for (int j = 0; j < calls; j++) {
        if (EMIT_function_run(EMIT_input_names, EMIT_result) != 0) return -1.0;
    }
    return fmax(EMIT_function_now() - start, 0.0); /* the clock may be set back */
}

/*
 * Returns the median time of a call, repeated on the same tensors; negative if out of memory. Each
 * sample has as many calls as take 0.1 ms. The first call is not timed, because a library may
 * generate its kernel in it. Samples are taken for 0.2 s, but at least 3 unless they take 2 s.
 */
static double EMIT_function_time(EMIT_input_parameters, EMIT_element *EMIT_result, int *samples) {
    static double sample[2000];
    int calls = 1, count = 0;
    double total = EMIT_function_sample(EMIT_input_names, EMIT_result, calls);
    if (total >= 0.0 && total < 1.0)
        total = EMIT_function_sample(EMIT_input_names, EMIT_result, calls);
    for (; total >= 0.0 && total < 1e-4 && calls < 100000;
         total = EMIT_function_sample(EMIT_input_names, EMIT_result, calls))
        calls *= 2;
    if (total < 0.0) return total;
    for (total = 0.0; count < 2000 && (total < 0.2 || (count < 3 && total < 2.0)); count++) {
        EMIT_refill;
        const double seconds = EMIT_function_sample(EMIT_input_names, EMIT_result, calls);
        if (seconds < 0.0) return seconds;
        sample[count] = seconds / calls;
        total += seconds;
    }
    qsort(sample, (size_t)count, sizeof *sample, EMIT_function_by_value);
    *samples = count;
    return sample[count / 2];
}

/* Exit status 0: the check passed and the function was timed; 1: the check failed; 3: out of
 * memory. */
int main(void) {
    const char *title = EMIT_title;
    EMIT_set_threads;
    const double allowed = EMIT_terms * EMIT_rounding;
    const double error = EMIT_function_check();
    if (error < 0.0) {
        printf("%sout of memory\n", title);
        return 3;
    }
    if (!(error <= allowed)) {
        printf("%scheck FAILED (max error %.1e, allowed %.1e)\n", title, error, allowed);
        return 1;
    }
    printf("%scheck passed (max error %.1e), ", title, error);
    fflush(stdout);
    EMIT_element *A = malloc(EMIT_A_bytes);
    EMIT_element *B = malloc(EMIT_B_bytes);
    EMIT_addend_memory;
    EMIT_element *EMIT_result = malloc(EMIT_result_bytes);
    double seconds = -1.0;
    int samples = 0;
    if (EMIT_all_tensors) {
        EMIT_function_fill(A, EMIT_A_count);
        EMIT_function_fill(B, EMIT_B_count);
        EMIT_addend_filled;
        EMIT_function_fill(EMIT_result, EMIT_result_count);
        seconds = EMIT_function_time(EMIT_inputs, EMIT_result_start, &samples);
    }
    if (seconds < 0.0) {
        printf("out of memory: the tensors take EMIT_megabytes MB\n");
    } else {
        printf("%.4g GFLOP/s, %.2e s (median of %d)\n", EMIT_flops * 1e-9 / seconds, seconds,
               samples);
    }
    free(A);
    free(B);
    EMIT_addend_freed;
    free(EMIT_result);
    return seconds < 0.0 ? 3 : 0;
}
