#include "roofline/timing/chain.h"

#include "microbench/timing/clock.h"
#include "roofline/timing/summary.h"

enum { LINKS_PER_ROUND = 50, ROUNDS = 1000, CHAINS = 5, CLOCK_READINGS = 41 };

/** Repeats an instruction LINKS_PER_ROUND times in the assembler. */
#define REPEATED(instruction) ".rept 50\n\t" instruction "\n\t.endr"
_Static_assert(LINKS_PER_ROUND == 50, "the assembler text has 50 instructions");

#if defined(__x86_64__)
/* Adds registers, because additions of constants may complete without an execution unit. */
#define ADD_TO_ITSELF REPEATED("add %1, %0")
#define MULTIPLY_BY REPEATED("imul %1, %0")
#elif defined(__aarch64__)
#define ADD_TO_ITSELF REPEATED("add %0, %0, %1")
#elif defined(__riscv)
#define ADD_TO_ITSELF REPEATED("add %0, %0, %1")
#elif defined(__powerpc64__)
#define ADD_TO_ITSELF REPEATED("add %0, %0, %1")
#endif

static void run_chain(enum chain_link link) {
    uint64_t x = 1;
    const uint64_t y = 3;
    for (int r = 0; r < ROUNDS; r++) {
#if defined(MULTIPLY_BY)
        if (link == CHAIN_MULTIPLY) __asm__ volatile(MULTIPLY_BY : "+r"(x) : "r"(y) : "cc");
#endif
#if defined(ADD_TO_ITSELF)
        if (link == CHAIN_ADD) __asm__ volatile(ADD_TO_ITSELF : "+r"(x) : "r"(y) : "cc");
#endif
    }
    (void)link;
    __asm__ volatile("" : : "r"(x), "r"(y));
}

static bool is_known(enum chain_link link) {
#if defined(MULTIPLY_BY)
    return link == CHAIN_ADD || link == CHAIN_MULTIPLY;
#elif defined(ADD_TO_ITSELF)
    return link == CHAIN_ADD;
#else
    (void)link;
    return false;
#endif
}

double chain_link_ns(enum chain_link link) {
    double smallest = 0;
    if (!is_known(link)) return 0;
    for (int c = 0; c < CHAINS; c++) {
        const uint64_t start_ns = clock_now_ns();
        run_chain(link);
        const double ns = (double)(clock_now_ns() - start_ns) / ((double)ROUNDS * LINKS_PER_ROUND);
        if (smallest == 0 || ns < smallest) smallest = ns;
    }
    return smallest;
}

double chain_clock_hz(void) {
    const double ns = chain_link_ns(CHAIN_ADD);
    return ns > 0 ? 1e9 / ns : 0;
}

struct tcplan_clock_rate chain_clock_rate(void) {
    double hz[CLOCK_READINGS];
    for (int i = 0; i < CLOCK_READINGS; i++) hz[i] = chain_clock_hz();
    const struct summary summary = summary_make(hz, CLOCK_READINGS);
    return (struct tcplan_clock_rate){.hz = summary.median, .q1 = summary.q1, .q3 = summary.q3};
}
