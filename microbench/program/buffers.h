/**
 * Buffers under measurement: whole tensors in virtual memory, of which only the touched pages are
 * backed. Each page is filled with numbers before it is read, because pages that were never written
 * all map to the same page of zeros. When the backed pages exceed a limit, all are released.
 */
#ifndef MICROBENCH_BUFFERS_H
#define MICROBENCH_BUFFERS_H

#include "base/deadline.h"
#include "cachesim/region.h"
#include "microbench/program/scratch.h"

/** The reserved addresses of one tensor. */
struct reservation {
    char *pages; /**< start of the reserved memory */
    char *base;  /**< lowest address of the tensor: as many bytes after a page boundary as arrays of
                    a program */
    size_t first_bytes; /**< bytes from `base` to the element whose indices are all 0 */
    size_t bytes;       /**< size in bytes, a multiple of the page size */
    size_t slack_bytes; /**< readable bytes after the tensor: OpenBLAS (0.3.21) reads a stride
                           beyond complex vectors */
    uint8_t *backed;    /**< one bit for each page */
};

struct buffers {
    struct reservation tensor[TCPLAN_TENSORS]; /**< tensors; the last one is zeroed if there is no
                                                  addend */
    size_t page_bytes;
    size_t alignment;   /**< alignment of the arrays, see buffers_reserve() */
    bool moves;         /**< whether short runs use all placements, see buffers_shift_bytes() */
    size_t limit_bytes; /**< limit on the backed bytes of these tensors; temporaries have a separate
                           one */
    size_t resident_bytes;
    bool exceeded; /**< whether the last TCPLAN_NO_MEMORY was due to limit_bytes, not to the system
                    */
    char *pattern; /**< a page of numbers with which pages are filled */
    uint64_t (*now_ns)(void); /**< clock by which touches of pages are timed */
    int64_t backed_pages;     /**< number of pages backed so far, including those backed again */
    uint64_t backing_ns;      /**< CPU time for backing and touching pages */
    struct scratch scratch;   /**< memory for the temporaries of programs on these tensors */
};

/** The alignment of malloc, and so of numpy: large arrays begin this many bytes after a page
 * boundary. */
enum { BUFFERS_ALIGNMENT = 2 * sizeof(size_t) };

/**
 * Reserves the tensors of a problem. Each begins as far after a page boundary as arrays aligned to
 * exactly `alignment`, or on a page boundary if that is a page or more.
 * @param alignment    bytes, a power of two
 * @param limit_bytes  limit on the backed pages of tensors and temporaries; for tensors,
 *   buffers_back() enforces it
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY if the address space is too small
 */
enum tcplan_status buffers_reserve(struct buffers *out, const struct tcplan_problem *problem,
                                   size_t alignment, size_t limit_bytes,
                                   struct tcplan_error *error);

/** Number of placements of the tensors within a page. */
enum { BUFFERS_PLACEMENTS = 16 };

/**
 * Returns the bytes by which a tensor begins after its base at a placement, less than a page; 0 for
 * placement 0. All placements together cover the page evenly, with the same alignment. Short runs
 * depend on where their tensors begin modulo 4 KiB, by 10 to 30 %: loads wait for stores with the
 * same offset in a page, and vectors may cross cache lines.
 */
size_t buffers_shift_bytes(const struct buffers *buffers, enum tcplan_operand operand,
                           int placement);

/** Returns the bytes of memory available without swapping; 0 if the system does not report them. */
int64_t buffers_available_bytes(void);

/** Frees all memory. */
void buffers_free(struct buffers *buffers);

/** Returns the bytes of pages of a region that are not backed yet; regions of temporaries never
 * need backing. */
size_t buffers_missing_bytes(struct buffers *buffers, const struct region *region);

/** Releases all backed pages. */
void buffers_release(struct buffers *buffers);

/** Backs the pages of a region. */
void buffers_back(struct buffers *buffers, const struct region *region);

/**
 * Touches the backed pages of regions until touches are fast, in at most a few sweeps. First
 * touches a sample of the pages; if these are fast, touches no others. A hypervisor may drop its
 * mappings of a guest's pages while the guest's memory grows. The next touch of each page then
 * takes microseconds, which would count as the program's own time.
 */
void buffers_settle(struct buffers *buffers, const struct region region[], size_t count);

/** Calls buffers_settle() for all backed pages of all tensors. */
void buffers_settle_all(struct buffers *buffers);

/** Touches the memory of temporaries like buffers_settle(), before a run without a warm-up. */
void buffers_settle_temporaries(struct buffers *buffers);

/** Backs all pages of all tensors. */
void buffers_back_all(struct buffers *buffers);

/** Backs the pages of the tensors, one after the other, until the deadline. */
void buffers_back_until(struct buffers *buffers, struct deadline deadline);

/** Returns the bytes of all tensors, in whole pages. */
size_t buffers_total_bytes(const struct buffers *buffers);

/** Returns whether all pages of all tensors are backed. */
bool buffers_all_backed(const struct buffers *buffers);

#endif
