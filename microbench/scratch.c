#include "microbench/scratch.h"

#include <string.h>

#include "base/alloc.h"

enum { ALIGNMENT = 4096, ABOUT_ONE = 0x3f };

struct scratch_block {
    struct scratch_block *smaller; /* still in use by programs that were given it */
    size_t bytes;
    char *memory;
};

char *scratch_get(struct scratch *scratch, enum tcplan_operand operand, size_t bytes) {
    struct scratch_block *largest = scratch->block[operand];
    if (largest && largest->bytes >= bytes) return largest->memory;
    struct scratch_block *block = base_alloc(sizeof *block);
    if (!block) return NULL;
    *block = (struct scratch_block){.smaller = largest, .bytes = bytes, .memory = base_aligned_alloc(ALIGNMENT, bytes)};
    if (!block->memory) {
        base_free(block);
        return NULL;
    }
    memset(block->memory, ABOUT_ONE, bytes);
    scratch->block[operand] = block;
    return block->memory;
}

void scratch_free(struct scratch *scratch) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        while (scratch->block[t]) {
            struct scratch_block *block = scratch->block[t];
            scratch->block[t] = block->smaller;
            base_free(block->memory);
            base_free(block);
        }
    }
}
