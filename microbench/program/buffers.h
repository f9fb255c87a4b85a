/**
 * Buffers under measurement: whole tensors as virtual memory, of which only the touched pages are
 * backed.
 *
 * A page is filled with numbers before anything reads it, because pages never written all map to
 * one page of zeros. When the backed pages exceed a bound, all are given back.
 */
#ifndef MICROBENCH_BUFFERS_H
#define MICROBENCH_BUFFERS_H

#include "base/deadline.h"
#include "cachesim/region.h"
#include "microbench/program/scratch.h"

/** One reservation. */
struct reservation {
    char *pages; /**< where its memory begins */
    char *base;  /**< the lowest address of the tensor: as far behind that as arrays of its program
                    are behind a page */
    size_t first_bytes; /**< from there to the element whose indices are all 0 */
    size_t bytes;       /**< whole pages */
    size_t slack_bytes; /**< may be read beyond them: OpenBLAS (0.3.21) reads a stride beyond the
                           end of complex vectors */
    uint8_t *backed;    /**< one bit a page */
};

struct buffers {
    struct reservation tensor[TCPLAN_TENSORS]; /**< all zeros where there is no addend */
    size_t page_bytes;
    size_t limit_bytes; /**< of these tensors: what temporaries may take is apart */
    size_t resident_bytes;
    bool exceeded; /**< the last TCPLAN_NO_MEMORY is of limit_bytes: the system has more */
    char *pattern; /**< one page of numbers */
    uint64_t (*now_ns)(void); /**< the clock that touches of pages are timed by */
    int64_t backed_pages;     /**< so far, those that were given back and came again included */
    uint64_t backing_ns;      /**< of CPU time in which pages were backed or touched */
    struct scratch scratch;   /**< for the temporaries of programs that run on these tensors */
};

/** What malloc aligns to, and numpy with it: large arrays begin so many bytes behind a page. */
enum { BUFFERS_ALIGNMENT = 2 * sizeof(size_t) };

/**
 * Reserves the tensors of a problem, each of which begins so many bytes behind a page as arrays do
 * that are aligned to `alignment` and no more: on a page where that is a page or more.
 *
 * @param alignment    bytes, a power of two
 * @param limit_bytes  bound on the backed pages of tensors and temporaries; that of tensors is kept
 *                     by buffers_back()
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY where the address space is too small
 */
enum tcplan_status buffers_reserve(struct buffers *out, const struct tcplan_problem *problem,
                                   size_t alignment, size_t limit_bytes,
                                   struct tcplan_error *error);

/** Bytes of memory that can be had now without swapping; 0 where the system does not tell. */
int64_t buffers_available_bytes(void);

/** Gives everything back. */
void buffers_free(struct buffers *buffers);

/** Bytes of pages of a region that are not backed yet; regions of temporaries need none. */
size_t buffers_missing_bytes(struct buffers *buffers, const struct region *region);

/** Gives all backed pages back. */
void buffers_release(struct buffers *buffers);

/** Backs the pages of a region. */
void buffers_back(struct buffers *buffers, const struct region *region);

/**
 * Touches the backed pages of regions until they are quick to touch, within a few sweeps; where a
 * sample of them is quick, only that.
 *
 * A hypervisor may drop what it knows of a guest's pages while the guest's memory grows. The next
 * touch of each page then takes microseconds that the guest cannot tell from the program's own.
 */
void buffers_settle(struct buffers *buffers, const struct region region[], size_t count);

/** The same for all backed pages of all tensors. */
void buffers_settle_all(struct buffers *buffers);

/** The same for the memory of temporaries: before a run that nothing warms up. */
void buffers_settle_temporaries(struct buffers *buffers);

/** Backs all pages of all tensors. */
void buffers_back_all(struct buffers *buffers);

/** Backs as many of them as the deadline allows, in their order. */
void buffers_back_until(struct buffers *buffers, struct deadline deadline);

/** Bytes of all tensors, in whole pages. */
size_t buffers_total_bytes(const struct buffers *buffers);

/** Whether all pages of all tensors are backed. */
bool buffers_all_backed(const struct buffers *buffers);

#endif
