/**
 * The kernel of one mixed precision and one width of vectors: adds products to independent chains
 * of sums. No include guard: it is included once for each combination. Expects
 *
 *   SUM                          the vector of sums
 *   SPREAD(value)                a SUM with equal elements
 *   PART, ONES                   the vector type of the first factors, and such a vector of ones
 *   OTHER, SHARES                the vector type of the second factors, and such a vector with
 *                                which a round adds one to each sum
 *   ACCUMULATE(sum, part, other) the sum plus the products
 *   MOST_ROUNDS                  the number of rounds that a sum of ones counts exactly
 *   FUNCTION(name)               a function name that is unique to the inclusion
 */

typedef int64_t FUNCTION(bits) __attribute__((vector_size(sizeof(SUM))));

static bool FUNCTION(fma)(int64_t rounds) {
    FUNCTION(bits) different = {0};
    PART part = ONES;
    OTHER other = SHARES;
    __asm__ volatile("" : "+x"(other));
    for (int64_t left = rounds; left > 0; left -= MOST_ROUNDS) {
        const int64_t block = left < MOST_ROUNDS ? left : MOST_ROUNDS;
        SUM x[COMPUTE_CHAINS];
        for (int c = 0; c < COMPUTE_CHAINS; c++) {
            x[c] = SPREAD(1);
            __asm__ volatile("" : "+x"(x[c]));
        }
        for (int64_t r = 0; r < block; r++) {
            for (int c = 0; c < COMPUTE_CHAINS; c++) {
                __asm__ volatile(""
                                 : "+x"(part)); /* hides `part` from the compiler, which must reload
                                                   it */
                x[c] = ACCUMULATE(x[c], part, other);
            }
        }
        const SUM expected = SPREAD((float)(1 + block));
        for (int c = 0; c < COMPUTE_CHAINS; c++)
            different |= (FUNCTION(bits))x[c] ^ (FUNCTION(bits))expected;
    }
    const FUNCTION(bits) none = {0};
    return __builtin_memcmp(&different, &none, sizeof none) == 0;
}

#undef SUM
#undef SPREAD
#undef PART
#undef ONES
#undef OTHER
#undef SHARES
#undef ACCUMULATE
#undef MOST_ROUNDS
#undef FUNCTION
