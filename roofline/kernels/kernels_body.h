/**
 * The compute kernels of one vector type. No include guard: it is included once for each type.
 * Expects
 *
 *   VECTOR         the type: GCC vector or, for scalar code, ELEMENT itself
 *   ELEMENT        float or double
 *   ELEMENTS       number of elements in a vector
 *   ELEMENT_ULP    the difference between 1 and the next larger ELEMENT
 *   FUNCTION(name) a function name that is unique to the inclusion
 *
 * and must be compiled without vectorisation or reordering of sums (see CMakeLists.txt). Results
 * count the rounds exactly: x + 1 is exact up to 2^23, and for x between 1 and 1.5, x * (1 + ulp)
 * and x / (1 - ulp / 2) are the next number after x.
 */

/** Returns a vector of equal elements whose value the compiler cannot know. */
static inline VECTOR FUNCTION(opaque)(ELEMENT value) {
    volatile ELEMENT hidden = value;
    VECTOR vector = {0};
    return vector + hidden;
}

/** Returns whether each element of `count` chains from `first` on is `expected`. */
static bool FUNCTION(are)(const VECTOR *x, int first, int count, ELEMENT expected) {
    bool equal = true;
    for (int c = first; c < first + count; c++) {
        ELEMENT element[ELEMENTS];
        __builtin_memcpy(element, &x[c], sizeof element);
        for (int e = 0; e < ELEMENTS; e++) equal = equal && element[e] == expected;
    }
    return equal;
}

static inline void FUNCTION(start)(VECTOR x[COMPUTE_CHAINS]) {
    for (int c = 0; c < COMPUTE_CHAINS; c++) x[c] = FUNCTION(opaque)(1);
}

#ifdef HAVE_FMA
static bool FUNCTION(fma)(int64_t rounds) {
    VECTOR x[COMPUTE_CHAINS];
    FUNCTION(start)(x);
    const VECTOR factor = FUNCTION(opaque)(1);
    const VECTOR term = FUNCTION(opaque)(1);
    for (int64_t r = 0; r < rounds; r++) {
        for (int c = 0; c < COMPUTE_CHAINS; c++) x[c] = x[c] * factor + term;
    }
    return FUNCTION(are)(x, 0, COMPUTE_CHAINS, (ELEMENT)(1 + rounds));
}
#endif

static bool FUNCTION(mul_add)(int64_t rounds) {
    VECTOR x[COMPUTE_CHAINS];
    FUNCTION(start)(x);
    const VECTOR factor = FUNCTION(opaque)(1 + ELEMENT_ULP);
    const VECTOR term = FUNCTION(opaque)(1);
    for (int64_t r = 0; r < rounds; r++) {
        for (int c = 0; c < COMPUTE_CHAINS; c += 2) {
            x[c] = x[c] * factor;
            x[c + 1] = x[c + 1] + term;
        }
    }
    bool correct = true;
    for (int c = 0; c < COMPUTE_CHAINS; c += 2) {
        correct = correct && FUNCTION(are)(x, c, 1, 1 + (ELEMENT)rounds * ELEMENT_ULP) &&
                  FUNCTION(are)(x, c + 1, 1, (ELEMENT)(1 + rounds));
    }
    return correct;
}

static bool FUNCTION(add)(int64_t rounds) {
    VECTOR x[COMPUTE_CHAINS];
    FUNCTION(start)(x);
    const VECTOR term = FUNCTION(opaque)(1);
    for (int64_t r = 0; r < rounds; r++) {
        for (int c = 0; c < COMPUTE_CHAINS; c++) x[c] = x[c] + term;
    }
    return FUNCTION(are)(x, 0, COMPUTE_CHAINS, (ELEMENT)(1 + rounds));
}

static bool FUNCTION(multiply)(int64_t rounds) {
    VECTOR x[COMPUTE_CHAINS];
    FUNCTION(start)(x);
    const VECTOR factor = FUNCTION(opaque)(1 + ELEMENT_ULP);
    for (int64_t r = 0; r < rounds; r++) {
        for (int c = 0; c < COMPUTE_CHAINS; c++) x[c] = x[c] * factor;
    }
    return FUNCTION(are)(x, 0, COMPUTE_CHAINS, 1 + (ELEMENT)rounds * ELEMENT_ULP);
}

static bool FUNCTION(divide)(int64_t rounds) {
    VECTOR x[COMPUTE_CHAINS];
    FUNCTION(start)(x);
    const VECTOR divisor = FUNCTION(opaque)(1 - ELEMENT_ULP / 2);
    for (int64_t r = 0; r < rounds; r++) {
        for (int c = 0; c < COMPUTE_CHAINS; c++) x[c] = x[c] / divisor;
    }
    return FUNCTION(are)(x, 0, COMPUTE_CHAINS, 1 + (ELEMENT)rounds * ELEMENT_ULP);
}

#undef VECTOR
#undef ELEMENT
#undef ELEMENTS
#undef ELEMENT_ULP
#undef FUNCTION
