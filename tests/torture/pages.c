#include "torture/pages.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POISON = 0xFF }; /* NaN in all types */

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool pages_init(struct pages *out, size_t bytes, size_t slack, size_t unit, bool at_end) {
    const size_t page = page_bytes(), inner = ((bytes + slack + page - 1) / page + 1) * page;
    *out = (struct pages){.bytes = bytes, .map_bytes = inner + 2 * page};
    out->map = mmap(NULL, out->map_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out->map == MAP_FAILED) {
        out->map = NULL;
        return false;
    }
    const size_t room = inner - slack - bytes;
    out->memory = out->map + page + (at_end ? room - room % unit : 0);
    mprotect(out->map, page, PROT_NONE);
    mprotect(out->map + page + inner, page, PROT_NONE);
    if (out->map_bytes <= PAGES_POISONED_MAX) memset(out->map + page, POISON, inner);
    return true;
}

void pages_protect(const struct pages *pages, int protection) {
    mprotect(pages_begin(pages), pages_room(pages), protection);
}

char *pages_begin(const struct pages *pages) {
    return pages->map + page_bytes();
}

size_t pages_room(const struct pages *pages) {
    return pages->map_bytes - 2 * page_bytes();
}

void pages_free(struct pages *pages) {
    if (pages->map) munmap(pages->map, pages->map_bytes);
    *pages = (struct pages){0};
}
