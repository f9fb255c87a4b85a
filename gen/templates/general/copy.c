
/* Copies vectors of lanes that are neighbours in memory. */
EMIT_target static void EMIT_own_copy(EMIT_number *to, ptrdiff_t step, const EMIT_number *from,
                                      ptrdiff_t numbers, const struct EMIT_name_depth *depth,
                                      EMIT_number sign) {
    (void)sign;
    for (ptrdiff_t p = 0; p < depth->k; p++) {
        for (ptrdiff_t n = 0; n < numbers; n += EMIT_vector_numbers) {
            EMIT_vector x = *(const EMIT_vector *)(from + depth->place[p] + n);
            EMIT_conjugate;
            *(EMIT_vector *)(to + step * p + n) = x;
        }
    }
}
