/**
 * Walks through the algorithms of a contraction without sizes: counts them by kernel and prints the
 * first loop nest of each kernel.
 *
 *   cc list_algorithms.c $(pkg-config --cflags --libs tcplan-unstable) -o list_algorithms
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/unstable.h>

static void print_nest(const struct tcplan_contraction *contraction,
                       const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest = NULL;
    if (tcplan_nest_build(&nest, contraction, algorithm, NULL) != TCPLAN_OK) return;
    char *name = tcplan_algorithm_name(algorithm, contraction, TCPLAN_DOUBLE);
    char *text = tcplan_nest_text(nest, NULL, TCPLAN_DOUBLE);
    if (name && text) printf("%s\n%s\n", name, text);
    free(name);
    free(text);
    tcplan_nest_free(nest);
}

int main(int argc, char **argv) {
    struct tcplan_error error;
    struct tcplan_contraction *contraction = NULL;
    uint64_t count[TCPLAN_KERNELS + 1];
    const char *notation = argc > 1 ? argv[1] : "C_abc=A_ija*B_jbic";
    if (tcplan_contraction_parse(&contraction, notation, TCPLAN_COLUMN_MAJOR, &error) !=
        TCPLAN_OK) {
        fprintf(stderr, "list_algorithms: %s\n", error.message);
        return EXIT_FAILURE;
    }
    if (tcplan_algorithm_count(contraction, count) == TCPLAN_OK)
        printf("%" PRIu64 " algorithms\n\n", count[TCPLAN_KERNELS]);

    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    int printed = -1;
    tcplan_enumerator_init(&enumerator, contraction);
    while (printed < TCPLAN_GEMM && tcplan_enumerator_next(&enumerator, &algorithm)) {
        if ((int)algorithm.kernel == printed) continue;
        printed = (int)algorithm.kernel;
        print_nest(contraction, &algorithm);
    }
    tcplan_contraction_free(contraction);
    return EXIT_SUCCESS;
}
