/*
 * A list of blocks, newest first. An allocation advances `used` in the newest block, or adds a
 * block if it does not fit; the rest of an older block stays unused. arena_free() walks the list
 * once.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum { BLOCK_BYTES = 4096 };

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t size;
    alignas(max_align_t) char data[];
};

static struct arena_block *add_block(struct arena *arena, size_t bytes) {
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(struct arena_block)) return NULL;
    struct arena_block *block = base_alloc(sizeof *block + size);
    if (!block) return NULL;
    *block = (struct arena_block){.next = arena->blocks, .size = size};
    arena->blocks = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    const size_t unit = alignof(max_align_t);
    if (bytes > SIZE_MAX - unit) return NULL;
    size_t rounded = (bytes + unit - 1) / unit * unit;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < rounded) block = add_block(arena, rounded);
    if (!block) return NULL;
    assert(block->used % unit == 0 && block->size - block->used >= rounded);
    void *memory = block->data + block->used;
    block->used += rounded;
    return memset(memory, 0, rounded);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length) {
    char *copy = length < SIZE_MAX ? arena_alloc(arena, length + 1) : NULL;
    return copy ? memcpy(copy, text, length) : NULL;
}

void arena_free(struct arena *arena) {
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        base_free(block);
    }
    arena->blocks = NULL;
}
