/* Writes tiles of c with fewer rows, or with rows that are not contiguous. */
EMIT_target static void EMIT_own_write(const EMIT_number *sums, ptrdiff_t height, ptrdiff_t columns,
                                       EMIT_number *c, const ptrdiff_t *column,
                                       const struct EMIT_name_strip *strip) {
    for (ptrdiff_t j = 0; j < columns; j++) {
        const EMIT_number *from = sums + height * j;
        if (strip->lie) {
            const ptrdiff_t numbers = EMIT_parts * strip->rows;
            EMIT_number *to = c + column[j];
            ptrdiff_t i = 0;
            for (; i + EMIT_part_numbers <= numbers; i += EMIT_part_numbers) {
                EMIT_part x = *(const EMIT_part *)(from + i);
                if (strip->adds) x += *(const EMIT_part *)(to + i);
                *(EMIT_part *)(to + i) = x;
            }
            for (; i < numbers; i++) to[i] = strip->adds ? to[i] + from[i] : from[i];
            continue;
        }
        for (ptrdiff_t i = 0; i < strip->rows; i++, from += EMIT_parts) {
            EMIT_number *to = c + (strip->row[i] - strip->row[0]) + column[j];
            EMIT_write_element;
        }
    }
}
