static void EMIT_function_fill(EMIT_element *x, size_t count) {
    for (size_t j = 0; j < count; j++) {
        const double real = EMIT_function_random();
        x[j] = real + EMIT_function_random() * _Complex_I;
    }
}
