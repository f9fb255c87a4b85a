/**
 * The kernel of one mixed precision and one width of vectors: products of ones are added to chains.
 * No include guard: included once for each. Expects
 *
 *   SUM                          the vector of sums
 *   SPREAD(value)                a SUM of equal numbers
 *   PART, ONES                   the vector of what is multiplied, and one of ones
 *   OTHER, SHARES                what it is multiplied by: so much that a round adds one to each
 *                                sum
 *   ACCUMULATE(sum, part, other) the sum and the products
 *   MOST_ROUNDS                  up to which a sum of ones is exact
 *   FUNCTION(name)               a name of its own for each inclusion
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
                                 : "+x"(part)); /* opaque to the compiler, which must reload it each
                                                   time */
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
