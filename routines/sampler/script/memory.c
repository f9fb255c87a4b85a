#include "routines/sampler/script/memory.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/random.h"
#include "microbench/program/buffers.h"
#include "routines/sampler/kernels/kernels.h"

enum { ROOM_BYTES = 1 << 20, FIRST_CAPACITY = 16 };

void memory_init(struct memory *memory, int64_t alignment_bytes, int64_t offset_bytes,
                 int64_t limit_bytes, bool dry) {
    memory->alignment_bytes = alignment_bytes;
    memory->offset_bytes = offset_bytes;
    memory->limit_bytes = limit_bytes;
    memory->dry = dry;
}

static void release(struct memory_block *block) {
    if (block->pages) munmap(block->pages, block->bytes);
    *block = (struct memory_block){0};
}

/** Reserves `used` bytes without backing their pages, and room after them that is never written. */
static enum tcplan_status reserve(struct memory_block *out, int64_t used,
                                  struct tcplan_error *error) {
    const size_t bytes = (size_t)used + ROOM_BYTES;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return error_no_memory(error);
    *out = (struct memory_block){.pages = pages, .bytes = bytes, .used = (size_t)used};
    return TCPLAN_OK;
}

static enum tcplan_status check_bytes(const struct memory *memory, int64_t bytes,
                                      struct tcplan_error *error) {
    const int64_t available = buffers_available_bytes();
    const int64_t limit = memory->limit_bytes > 0 ? memory->limit_bytes - memory->total_bytes
                          : available > 0         ? available
                                                  : INT64_MAX;
    if (bytes <= limit - ROOM_BYTES || (memory->limit_bytes > 0 && bytes <= limit))
        return TCPLAN_OK;
    const struct quantity wanted = quantity_bytes((double)bytes),
                          left = quantity_bytes((double)(limit > 0 ? limit : 0));
    return error_set(error, TCPLAN_INVALID, "%s of memory are needed, but only %s are %s",
                     wanted.text, left.text,
                     memory->limit_bytes > 0 ? "left of the limit" : "free");
}

void memory_free(struct memory *memory) {
    for (int b = 0; b < memory->count; b++) release(&memory->buffer[b].block);
    release(&memory->numbers);
    release(&memory->integers);
    base_free(memory->buffer);
    memory->buffer = NULL;
    memory->count = memory->capacity = 0;
}

int64_t memory_element_bytes(enum memory_type type) {
    static const int bytes[MEMORY_TYPES] = {
        1, sizeof(int), sizeof(float), sizeof(double), 2 * sizeof(float), 2 * sizeof(double)};
    return bytes[type];
}

const char *memory_type_name(enum memory_type type) {
    static const char *const names[MEMORY_TYPES] = {"char",   "int",           "float",
                                                    "double", "float complex", "double complex"};
    return names[type];
}

static void fill(struct memory *memory, enum memory_type type, char *first, int64_t count) {
    struct random random = {.state = ++memory->seed << 32};
    switch (type) {
    case MEMORY_CHAR:
        for (int64_t i = 0; i < count; i++)
            first[i] = (char)(unsigned char)(random_next(&random) >> 56);
        break;
    case MEMORY_INT:
        for (int64_t i = 0; i < count; i++)
            ((int *)(void *)first)[i] = (int)(random_next(&random) >> 33);
        break;
    case MEMORY_FLOAT: kernels_fill_float((float *)(void *)first, count, random.state); break;
    case MEMORY_FLOAT_COMPLEX:
        kernels_fill_float((float *)(void *)first, 2 * count, random.state);
        break;
    case MEMORY_DOUBLE: kernels_fill_double((double *)(void *)first, count, random.state); break;
    case MEMORY_DOUBLE_COMPLEX:
        kernels_fill_double((double *)(void *)first, 2 * count, random.state);
        break;
    case MEMORY_TYPES: break;
    }
}

struct memory_buffer *memory_find(const struct memory *memory, const char *name, size_t length) {
    for (int b = 0; b < memory->count; b++) {
        const char *known = memory->buffer[b].name;
        if (strncmp(known, name, length) == 0 && known[length] == '\0') return &memory->buffer[b];
    }
    return NULL;
}

static struct memory_buffer *add_name(struct memory *memory, enum memory_type type,
                                      const char *name, size_t length, struct tcplan_error *error) {
    if (memory->count == memory->capacity) {
        const int capacity = memory->capacity > 0 ? 2 * memory->capacity : FIRST_CAPACITY;
        struct memory_buffer *larger =
            base_realloc(memory->buffer, (size_t)capacity * sizeof *larger);
        if (!larger) {
            error_no_memory(error);
            return NULL;
        }
        memory->buffer = larger;
        memory->capacity = capacity;
    }
    struct memory_buffer *buffer = &memory->buffer[memory->count++];
    *buffer = (struct memory_buffer){.type = type, .parent = -1};
    memcpy(buffer->name, name, length < MEMORY_NAME ? length : MEMORY_NAME - 1);
    return buffer;
}

/** Returns the first multiple of an alignment in a block of pages. */
static char *aligned(char *pages, int64_t alignment) {
    const uintptr_t unit = (uintptr_t)alignment;
    return (char *)(((uintptr_t)pages + unit - 1) / unit * unit);
}

enum tcplan_status memory_add(struct memory *memory, enum memory_type type, const char *name,
                              size_t length, int64_t count, struct tcplan_error *error) {
    int64_t bytes;
    if (__builtin_mul_overflow(count, memory_element_bytes(type), &bytes) || bytes > INT64_MAX / 4)
        bytes = INT64_MAX / 4;
    enum tcplan_status status = check_bytes(memory, bytes + memory->alignment_bytes, error);
    if (status != TCPLAN_OK) return status;
    struct memory_buffer *buffer = add_name(memory, type, name, length, error);
    if (!buffer) return TCPLAN_NO_MEMORY;
    if (!memory->dry) status = reserve(&buffer->block, bytes + memory->alignment_bytes, error);
    if (status != TCPLAN_OK) {
        memory->count--;
        return status;
    }
    buffer->bytes = bytes;
    memory->total_bytes += bytes;
    if (memory->dry) return TCPLAN_OK;
    buffer->first = aligned(buffer->block.pages, memory->alignment_bytes);
    fill(memory, type, buffer->first, count);
    return TCPLAN_OK;
}

enum tcplan_status memory_offset(struct memory *memory, enum memory_type type,
                                 const struct memory_buffer *of, int64_t offset, const char *name,
                                 size_t length, struct tcplan_error *error) {
    const int parent = (int)(of - memory->buffer);
    struct memory_buffer *buffer = add_name(memory, type, name, length, error);
    if (!buffer) return TCPLAN_NO_MEMORY;
    of = &memory->buffer[parent];
    const int64_t bytes = offset * memory_element_bytes(type);
    buffer->parent = parent;
    buffer->first = of->first ? of->first + bytes : NULL;
    buffer->bytes = of->bytes - bytes;
    return TCPLAN_OK;
}

static bool is_within(const struct memory *memory, int b, int of) {
    while (b >= 0 && b != of) b = memory->buffer[b].parent;
    return b == of;
}

bool memory_is_used(const struct memory *memory, const struct memory_buffer *buffer) {
    for (int b = 0; b < memory->count; b++) {
        if (memory->buffer[b].used && is_within(memory, b, (int)(buffer - memory->buffer)))
            return true;
    }
    return false;
}

void memory_remove(struct memory *memory, const struct memory_buffer *buffer) {
    const int of = (int)(buffer - memory->buffer);
    int kept =
        of; /* buffers derived from `of` have higher numbers, so lower numbers do not change */
    for (int b = memory->count - 1; b > of; b--) {
        if (is_within(memory, b, of)) memory->buffer[b].name[0] = '\0';
    }
    memory->buffer[of].name[0] = '\0';
    if (memory->buffer[of].parent < 0) memory->total_bytes -= memory->buffer[of].bytes;
    release(&memory->buffer[of].block);
    for (int b = of; b < memory->count; b++) {
        if (!memory->buffer[b].name[0]) continue;
        for (int later = b; later < memory->count; later++) {
            if (memory->buffer[later].parent == b) memory->buffer[later].parent = kept;
        }
        memory->buffer[kept++] = memory->buffer[b];
    }
    memory->count = kept;
}

void memory_unuse(struct memory *memory) {
    for (int b = 0; b < memory->count; b++) memory->buffer[b].used = false;
}

enum tcplan_status memory_check_anonymous(struct memory *memory, int64_t number_bytes,
                                          int64_t integer_bytes, struct tcplan_error *error) {
    const int64_t more_numbers = number_bytes - (int64_t)memory->numbers.used,
                  more_integers = integer_bytes - (int64_t)memory->integers.used;
    const int64_t more =
        (more_numbers > 0 ? more_numbers : 0) + (more_integers > 0 ? more_integers : 0);
    if (more == 0 ||
        (number_bytes <= memory->good_numbers && integer_bytes <= memory->good_integers))
        return TCPLAN_OK;
    const enum tcplan_status status = check_bytes(memory, more, error);
    if (status == TCPLAN_OK) {
        memory->good_numbers = number_bytes;
        memory->good_integers = integer_bytes;
    }
    return status;
}

/** Fills a block with words that are numbers in [0.5, 1) as floats, and small normal numbers as
 * doubles, so that neither type meets denormal numbers or infinity. */
static void fill_numbers(struct memory_block *block) {
    struct random random = {.state = 1};
    uint32_t *const word = (uint32_t *)(void *)block->pages;
    for (size_t w = 0; w < block->used / sizeof *word; w++)
        word[w] = 0x3f000000U | (uint32_t)(random_next(&random) >> 41);
}

char *memory_at(const struct memory *memory, const struct memory_block *block,
                int64_t offset_bytes) {
    return aligned(block->pages, memory->alignment_bytes) + offset_bytes;
}

void memory_fill_integers(int *first, int64_t count) {
    for (int64_t i = 0; i < count; i++) first[i] = i < INT_MAX ? (int)(i + 1) : INT_MAX;
}

static enum tcplan_status grow(struct memory *memory, struct memory_block *block, int64_t bytes,
                               struct tcplan_error *error) {
    memory->total_bytes -= (int64_t)block->used;
    release(block);
    const enum tcplan_status status = reserve(block, bytes + memory->alignment_bytes, error);
    if (status == TCPLAN_OK) memory->total_bytes += (int64_t)block->used;
    return status;
}

enum tcplan_status memory_reserve_anonymous(struct memory *memory, int64_t number_bytes,
                                            int64_t integer_bytes, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (number_bytes > 0 &&
        (size_t)(number_bytes + memory->alignment_bytes) > memory->numbers.used) {
        status = grow(memory, &memory->numbers, number_bytes, error);
        if (status == TCPLAN_OK) fill_numbers(&memory->numbers);
    }
    if (status == TCPLAN_OK && integer_bytes > 0 &&
        (size_t)(integer_bytes + memory->alignment_bytes) > memory->integers.used) {
        status = grow(memory, &memory->integers, integer_bytes, error);
    }
    return status;
}
