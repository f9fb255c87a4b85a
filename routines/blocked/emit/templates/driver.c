/*
 * The driver, NAME [n [b]]: it compares the function with LAPACK's EMIT_whole at small sizes, and
 * times it at n = 1000 and b = EMIT_block, or at the given values.
 */
struct EMIT_function_data {
    EMIT_members;
};

/* Uniform in [0, 1). */
static double EMIT_function_random(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) * 0x1p-53;
}

/*
 * Fills a matrix for which operations are well-conditioned: 1 to 2 on the diagonal, and other
 * elements so small that their norm is below 0.6. triangle: 1 upper, -1 lower, with zeros
 * elsewhere; 0: the whole matrix. mixed: with permuted rows, so that pivots are needed. band: if
 * not 0, close to a matrix with 1.5 on the diagonal and 0.5 on the diagonals at this distance.
 */
static void EMIT_function_fill(EMIT_element *x, int rows, int columns, int triangle, int mixed,
                               int band) {
    const double beside = (band ? 0.035 : 0.35) / sqrt(fmax(fmax(rows, columns), 1));
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < rows; i++) {
            const int is_in = triangle == 0 || (triangle > 0 ? i <= j : i >= j);
            const double re = EMIT_function_random(), im = EMIT_function_random();
            const double center = band && abs(i - j) == band ? 0.5 : 0;
            const double value = i != j ? center + beside * (2 * re - 1)
                                 : band ? 1.5 + beside * re
                                        : 1 + re,
                         imaginary = i == j || center > 0 ? 0 : beside * (2 * im - 1);
            x[(mixed ? rows - 1 - i : i) + (ptrdiff_t)j * (rows > 1 ? rows : 1)] =
                is_in ? EMIT_number : 0;
        }
    }
}

/* Returns the largest difference of two elements, relative to the largest magnitude; infinite if
 * an element is not a number. */
static double EMIT_function_compare(const EMIT_element *x, const EMIT_element *y, int rows,
                                    int columns, int triangle) {
    double most = 0, largest = 0;
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < rows; i++) {
            const ptrdiff_t at = i + (ptrdiff_t)j * (rows > 1 ? rows : 1);
            if (triangle > 0 ? i > j : triangle < 0 && i < j) continue;
            const double by = EMIT_magnitude(x[at] - y[at]), magnitude = EMIT_magnitude(y[at]);
            if (isnan(by)) return INFINITY;
            most = fmax(most, by);
            largest = fmax(largest, magnitude);
        }
    }
    return largest > 0 ? most / largest : most;
}

EMIT_pivots;

/* Allocates the matrices; returns 0 if memory runs out. */
static int EMIT_function_reserve(struct EMIT_function_data *x, EMIT_size_parameters) {
    EMIT_reserved;
    return EMIT_all;
}

static void EMIT_function_release(struct EMIT_function_data *x) {
    EMIT_released;
}

static void EMIT_function_begin(struct EMIT_function_data *x, EMIT_problem_parameters) {
    EMIT_filled;
}

/* Calls the function once, on matrices without gaps. */
static int EMIT_function_run(struct EMIT_function_data *x, EMIT_size_parameters, int b) {
    return EMIT_call;
}

/* Calls LAPACK's routine once, on matrices without gaps. */
static int EMIT_function_lapack(struct EMIT_function_data *x, EMIT_problem_parameters) {
    EMIT_lapack;
}

/* Returns the largest error at some sizes; negative if memory runs out. */
static double EMIT_function_check(EMIT_size_parameters, int b) {
    struct EMIT_function_data x, y;
    double worst = -1;
    const int has_x = EMIT_function_reserve(&x, EMIT_size_names),
              has_y = EMIT_function_reserve(&y, EMIT_size_names);
    if (has_x && has_y) {
        EMIT_function_begin(&x, EMIT_problem_names);
        EMIT_copied;
        worst = EMIT_function_run(&x, EMIT_size_names, b) == 0 &&
                        EMIT_function_lapack(&y, EMIT_problem_names) == 0
                    ? 0
                    : INFINITY;
        EMIT_compared;
    }
    EMIT_function_release(&x);
    EMIT_function_release(&y);
    return worst;
}

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

/* Returns the median of runs for half a second, at least three unless they take five seconds, each
 * on new numbers; negative if memory runs out or a run ends early. */
static double EMIT_function_time(EMIT_size_parameters, int b, int *samples) {
    static double sample[1000];
    struct EMIT_function_data x;
    double total = 0;
    int count = 0, ended = 0;
    if (EMIT_function_reserve(&x, EMIT_size_names)) {
        EMIT_function_begin(&x, EMIT_problem_names);
        ended = EMIT_function_run(&x, EMIT_size_names, b);
        while (ended == 0 && count < 1000 && (total < 0.5 || (count < 3 && total < 5))) {
            EMIT_function_begin(&x, EMIT_problem_names);
            const double start = EMIT_function_now();
            ended = EMIT_function_run(&x, EMIT_size_names, b);
            sample[count] = fmax(EMIT_function_now() - start, 0); /* the clock may be set back */
            total += sample[count++];
        }
    }
    EMIT_function_release(&x);
    if (count == 0 || ended != 0) return -1;
    qsort(sample, (size_t)count, sizeof *sample, EMIT_function_by_value);
    *samples = count;
    return sample[count / 2];
}

/* Exit status 0: the check passed and the function was timed; 1: the check failed; 2: invalid
 * argument; 3: out of memory. */
int main(int argc, char *argv[]) {
    static const int size[][2] = {{1, 1}, {24, 8}, {61, 16}, {90, 7}, {33, 40}};
    const long given_n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000,
               given_b = argc > 2 ? strtol(argv[2], NULL, 10) : EMIT_block;
    double worst = 0;
    if (given_n < 1 || given_n > 100000 || given_b < 1 || given_b > 100000 || argc > 3) {
        fprintf(stderr, "expected [n [b]], from 1 to 100000\n");
        return 2;
    }
    for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
        const int EMIT_small_sizes;
        const double error = EMIT_function_check(EMIT_size_names, size[s][1]),
                     allowed = 8 * (size_0 + 8) * EMIT_rounding;
        if (error < 0) {
            printf("EMIT_title: out of memory\n");
            return 3;
        }
        if (!(error <= allowed)) {
            printf("EMIT_title: check FAILED (n = %d, b = %d: error %.1e, allowed %.1e)\n",
                   size[s][0], size[s][1], error, allowed);
            return 1;
        }
        worst = fmax(worst, error);
    }
    printf("EMIT_title: check passed (max error %.1e), ", worst);
    fflush(stdout);
    const int EMIT_sizes, b = (int)given_b;
    int samples = 0;
    const double seconds = EMIT_function_time(EMIT_size_names, b, &samples), flops = EMIT_flops;
    if (seconds < 0) {
        printf("out of memory, or the run ended early\n");
        return 3;
    }
    printf("n = %d, b = %d: ", size_0, b);
    if (flops > 0) printf("%.4g GFLOP/s, ", flops * 1e-9 / seconds);
    printf("%.2e s (median of %d)\n", seconds, samples);
    return 0;
}
