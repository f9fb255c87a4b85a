
/* Prefetches lines of the next panel of a, and of the next block of b. */
__attribute__((unused)) KERNEL_PLAIN KERNEL_TILE EMIT_name_fetch(struct EMIT_name_ahead *ahead,
                                                                 int lines) {
    for (ptrdiff_t f = 0; f < ahead->count; f++) {
        const EMIT_number *line = ahead->from + ahead->places[f];
        KERNEL_UNROLL(8)
        for (int l = 0; l < lines; l++) __builtin_prefetch(line + l * ahead->apart, 0, 2);
    }
    ahead->places += ahead->advance;
    for (ptrdiff_t f = 0; f < ahead->second_count; f++)
        __builtin_prefetch(ahead->second + *ahead->second_places + f * ahead->second_apart, 0, 2);
    if (ahead->second_places <= ahead->second_last) ahead->second_places += ahead->second_advance;
}
