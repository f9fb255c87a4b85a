static int EMIT_function_by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median time of a call; negative if memory runs out. A sample is as many calls as take
 * 0.1 ms. */
static double EMIT_function_time(EMIT_parameters, int *samples) {
    static double sample[2000];
    double total = 0.0;
    int calls = 1, count = 0;
    for (int warm = 0; count < 2000 && (total < 0.3 || count < 3);) {
        const double start = EMIT_function_now();
        for (int n = 0; n < calls; n++)
            if (EMIT_function(EMIT_arguments)) return -1.0;
        const double seconds = fmax(EMIT_function_now() - start, 0.0);
        if (warm++ < 2) continue;
        if (seconds < 1e-4 && calls < 100000) {
            calls *= 2;
            continue;
        }
        sample[count++] = seconds / calls;
        total += seconds;
    }
    qsort(sample, (size_t)count, sizeof *sample, EMIT_function_by_value);
    *samples = count;
    return sample[count / 2];
}
