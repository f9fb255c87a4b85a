#include "support/reserved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/** Bytes to reserve on each side: offsets that overflow 32 bits stay within them. */
static const size_t margin_bytes = (size_t)40 << 30;

void reserved_init(struct reserved *out, int64_t elems, enum tcplan_dtype dtype) {
    out->dtype = dtype;
    out->bytes = (size_t)elems * tcplan_dtype_bytes(dtype) + 2 * margin_bytes;
    out->memory =
        mmap(NULL, out->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out->memory == MAP_FAILED) skip(); /* the system provides too little address space */
    out->base = out->memory + margin_bytes;
}

void reserved_free(struct reserved *reserved) {
    assert_int_equal(munmap(reserved->memory, reserved->bytes), 0);
}

static char *address_of(const struct reserved *reserved, int64_t place) {
    return reserved->base + place * (int64_t)tcplan_dtype_bytes(reserved->dtype);
}

static bool is_single(const struct reserved *reserved) {
    return reserved->dtype == TCPLAN_FLOAT || reserved->dtype == TCPLAN_FLOAT_COMPLEX;
}

void reserved_set(const struct reserved *reserved, int64_t place, double value) {
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *address = address_of(reserved, place);
    char *page = address - (uintptr_t)address % page_bytes;
    assert_int_equal(mprotect(page, page_bytes, PROT_READ | PROT_WRITE),
                     0); /* one page suffices: no element crosses pages */
    if (is_single(reserved)) {
        memcpy(address, &(float){(float)value}, sizeof(float));
    } else {
        memcpy(address, &value, sizeof value);
    }
}

double reserved_get(const struct reserved *reserved, int64_t place) {
    float single;
    double value;
    if (is_single(reserved)) {
        memcpy(&single, address_of(reserved, place), sizeof single);
        return single;
    }
    memcpy(&value, address_of(reserved, place), sizeof value);
    return value;
}
