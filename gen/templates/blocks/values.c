
/*
 * The driver. It compares blocks of the result with the sums that define them, found from section
 * numbers alone, until EMIT_check_seconds seconds have passed, and times the function.
 */

/* Uniform in [-1, 1). */
static double EMIT_function_random(void) {
    static unsigned long long state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) * 0x1p-52 - 1.0;
}

EMIT_fill;

/* Seconds since the first call. */
static double EMIT_function_now(void) {
    static time_t start;
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    if (!start) start = t.tv_sec;
    return (double)(t.tv_sec - start) + 1e-9 * (double)t.tv_nsec;
}
