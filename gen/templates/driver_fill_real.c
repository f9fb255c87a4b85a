static void EMIT_function_fill(EMIT_element *x, size_t count) {
    for (size_t j = 0; j < count; j++) x[j] = EMIT_function_random();
}
