#include "microbench/program/scratch.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "microbench/copy/touch.h"

/* Bytes of a block that are filled at once. Further pages are filled where they are used, because
 * windows of an algorithm that copies a large tensor use a small part of its temporary. */
enum { FILLED_BYTES = BASE_LARGE_BYTES };

struct scratch_block {
    struct scratch_block *smaller; /* the previous block, which is smaller and which programs may
                                      still use */
    size_t reserved_bytes;         /* reserved address space */
    size_t bytes;                  /* bytes of the block that are in use */
    char *memory;
};

/** Returns pages to the system; the next access finds new pages of zeros. */
static void release_pages(char *memory, size_t bytes) {
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const size_t skipped = (page_bytes - (uintptr_t)memory % page_bytes) % page_bytes;
    if (bytes > skipped)
        madvise(memory + skipped, (bytes - skipped) / page_bytes * page_bytes, MADV_DONTNEED);
}

/** Releases the pages of blocks, which are filled with numbers again on the next request. */
static void release_blocks(struct scratch *scratch, struct scratch_block *block) {
    for (; block; block = block->smaller) {
        scratch->has_zeros = scratch->has_zeros || block->bytes > 0;
        release_pages(block->memory, block->bytes);
        block->bytes = 0;
    }
}

/** Releases the pages of smaller blocks, and of other operands' blocks if the total exceeds the
 * limits. */
static void make_room(struct scratch *scratch, enum tcplan_operand operand) {
    const size_t most_bytes =
        scratch->limit_bytes > scratch->kept_bytes ? scratch->limit_bytes : scratch->kept_bytes;
    size_t bytes = 0;
    for (int kind = 0; kind < 2; kind++) {
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            bytes += scratch->block[kind][t] ? scratch->block[kind][t]->bytes : 0;
        if (scratch->block[kind][operand])
            release_blocks(scratch, scratch->block[kind][operand]->smaller);
    }
    for (int t = 0; t < TCPLAN_OPERANDS && scratch->limit_bytes > 0 && bytes > most_bytes; t++) {
        if (t == (int)operand) continue;
        for (int kind = 0; kind < 2; kind++) release_blocks(scratch, scratch->block[kind][t]);
    }
}

static void *map_lazily(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/** Reserves address space for a block: if possible as much as the limit allows, so that it can
 * grow in place while programs use it. */
static struct scratch_block *reserve(struct scratch_block *smaller, size_t bytes,
                                     size_t limit_bytes) {
    struct scratch_block *block = base_alloc(sizeof *block);
    if (!block) return NULL;
    *block = (struct scratch_block){.smaller = smaller,
                                    .reserved_bytes = bytes > limit_bytes ? bytes : limit_bytes};
    block->memory = map_lazily(block->reserved_bytes);
    if (!block->memory) block->memory = map_lazily(block->reserved_bytes = bytes);
    if (block->memory) return block;
    base_free(block);
    return NULL;
}

char *scratch_get(struct scratch *scratch, enum tcplan_operand operand, size_t bytes) {
    const bool is_large = bytes >= BASE_LARGE_BYTES;
    struct scratch_block **largest = &scratch->block[is_large][operand];
    struct scratch_block *block = *largest;
    if (block && block->bytes >= bytes) return block->memory;
    const bool is_bounded = is_large || scratch->limit_bytes < BASE_LARGE_BYTES;
    if (!block || block->reserved_bytes < bytes)
        block = reserve(block, bytes, is_bounded ? scratch->limit_bytes : BASE_LARGE_BYTES);
    if (!block) return NULL;
    if (is_large) base_large_advise(block->memory, bytes);
    *largest = block;
    if (deadline_is_cancelled(scratch->deadline)) return NULL;
    const size_t filled = bytes < FILLED_BYTES ? bytes : FILLED_BYTES;
    if (block->bytes < filled)
        memset(block->memory + block->bytes, TOUCH_FILL, filled - block->bytes);
    scratch->has_zeros = scratch->has_zeros || filled < bytes;
    block->bytes = bytes;
    make_room(scratch, operand);
    return block->memory;
}

size_t scratch_memory(const struct scratch *scratch, struct scratch_memory out[SCRATCH_BLOCKS]) {
    size_t count = 0;
    for (int kind = 0; kind < 2; kind++) {
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            const struct scratch_block *block = scratch->block[kind][t];
            if (block)
                out[count++] =
                    (struct scratch_memory){.first = block->memory, .bytes = block->bytes};
        }
    }
    return count;
}

void scratch_free(struct scratch *scratch) {
    for (int t = 0; t < SCRATCH_BLOCKS; t++) {
        struct scratch_block **largest = &scratch->block[t / TCPLAN_OPERANDS][t % TCPLAN_OPERANDS];
        while (*largest) {
            struct scratch_block *block = *largest;
            *largest = block->smaller;
            munmap(block->memory, block->reserved_bytes);
            base_free(block);
        }
    }
}
