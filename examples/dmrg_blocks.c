/*
 * The product of two neighbouring tensors of a matrix product state that conserves a charge, as in
 * two-site DMRG: theta[l,s,t,r] = sum over m of A[l,s,m] * B[m,t,r]. Only blocks whose charges fit
 * exist.
 *
 *   cc dmrg_blocks.c $(pkg-config --cflags --libs tcplan-unstable)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/blocksparse.h>

enum { SECTIONS = 5, SPINS = 2, MOST_BLOCKS = SECTIONS * SPINS * SECTIONS };

/* Sections of a bond and of a spin, with their charges. The middle bond has the odd charges. */
static const int64_t outer_extent[SECTIONS] = {4, 20, 36, 20, 4}, spin_extent[SPINS] = {1, 1};
static const int outer[SECTIONS] = {-4, -2, 0, 2, 4}, middle[SECTIONS] = {-3, -1, 1, 3, 5},
                 spin[SPINS] = {1, -1};

/** The blocks of a tensor with three dimensions: a bond, a spin and a bond. */
struct tensor {
    int64_t label[3], extent[SECTIONS + SPINS + SECTIONS];
    int sections[3];
    int32_t at[3 * MOST_BLOCKS];
    int64_t blocks;
    void *block[MOST_BLOCKS];
};

/** Lists the blocks whose charges are conserved: left + spin = right. */
static void list(struct tensor *out, const char *labels, const int left[], const int right[]) {
    for (int d = 0; d < 3; d++) out->label[d] = labels[d];
    out->sections[0] = out->sections[2] = SECTIONS;
    out->sections[1] = SPINS;
    for (int n = 0; n < SECTIONS; n++) {
        out->extent[n] = out->extent[SECTIONS + SPINS + n] = outer_extent[n];
        if (n < SPINS) out->extent[SECTIONS + n] = spin_extent[n];
    }
    out->blocks = 0;
    for (int l = 0; l < SECTIONS; l++) {
        for (int s = 0; s < SPINS; s++) {
            for (int r = 0; r < SECTIONS; r++) {
                if (left[l] + spin[s] != right[r]) continue;
                const size_t elements = (size_t)(outer_extent[l] * outer_extent[r]);
                double *block = malloc(elements * sizeof *block);
                for (size_t e = 0; block && e < elements; e++) block[e] = 1;
                out->block[out->blocks] = block;
                out->at[3 * out->blocks] = l;
                out->at[3 * out->blocks + 1] = s;
                out->at[3 * out->blocks++ + 2] = r;
            }
        }
    }
}

static struct tcplan_block_tensor describe(const struct tensor *tensor) {
    return (struct tcplan_block_tensor){.rank = 3,
                                        .label = tensor->label,
                                        .sections = tensor->sections,
                                        .extent = tensor->extent,
                                        .blocks = tensor->blocks,
                                        .coordinate = tensor->at};
}

int main(void) {
    static struct tensor left, right;
    static const int64_t label[] = {'l', 's', 't', 'r'};
    static const int sections[] = {SECTIONS, SPINS, SPINS, SECTIONS};
    static void *theta[MOST_BLOCKS * SPINS];
    int64_t extent[2 * (SECTIONS + SPINS)];
    struct tcplan_error error;
    list(&left, "lsm", outer, middle);
    list(&right, "mtr", middle, outer);
    for (int n = 0; n < SECTIONS + SPINS; n++) extent[n] = left.extent[n];
    for (int n = 0; n < SPINS + SECTIONS; n++)
        extent[SECTIONS + SPINS + n] = right.extent[SECTIONS + n];
    const struct tcplan_block_tensor A = describe(&left), B = describe(&right),
                                     D = {.rank = 4,
                                          .label = label,
                                          .sections = sections,
                                          .extent = extent,
                                          .blocks = TCPLAN_BLOCKS_REACHED};

    struct tcplan_block_product *product;
    struct tcplan_block_plan *plan;
    if (tcplan_block_product_make(&product, &A, &B, &D, TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, &error) !=
            TCPLAN_OK ||
        tcplan_block_plan_new(&plan, NULL, product, &error) != TCPLAN_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }

    /* The product knows which blocks of the result exist, and their shapes. */
    const int64_t blocks = tcplan_block_product_blocks(product, TCPLAN_RESULT);
    for (int64_t b = 0; b < blocks; b++) {
        int64_t shape[4];
        tcplan_block_product_shape(product, TCPLAN_RESULT, b, shape, NULL);
        theta[b] = calloc((size_t)(shape[0] * shape[1] * shape[2] * shape[3]), sizeof(double));
    }
    if (tcplan_block_plan_execute(plan, (const void *const *)left.block,
                                  (const void *const *)right.block, theta, &error) != TCPLAN_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }

    /* All elements of A and B are 1, so each element of the result is the extent of the section of
     * m between its blocks. */
    for (int64_t b = 0; b < blocks; b++) {
        const int32_t *at = tcplan_block_product_coordinate(product, TCPLAN_RESULT, b);
        int64_t expected = 0;
        for (int m = 0; m < SECTIONS; m++)
            if (outer[at[0]] + spin[at[1]] == middle[m]) expected = outer_extent[m];
        if (fabs(*(double *)theta[b] - (double)expected) > 1e-12) return EXIT_FAILURE;
    }
    printf("%lld blocks by %s\n", (long long)blocks, tcplan_block_plan_way(plan));
    tcplan_block_plan_free(plan);
    tcplan_block_product_free(product);
    for (int64_t b = 0; b < blocks; b++) free(theta[b]);
    for (int64_t b = 0; b < left.blocks; b++) free(left.block[b]);
    for (int64_t b = 0; b < right.blocks; b++) free(right.block[b]);
    return EXIT_SUCCESS;
}
