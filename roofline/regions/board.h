/**
 * The board on which regions are recorded: memory of the process, or memory shared by the command
 * and the programs that it measures.
 *
 * A slot is one region in one process. Processes claim slots and write only their own; readers
 * merge slots with the same name.
 */
#ifndef ROOFLINE_REGIONS_BOARD_H
#define ROOFLINE_REGIONS_BOARD_H

#include <stdatomic.h>

#include "microbench/counters/source.h"
#include "tcplan/regions.h"

enum { BOARD_SLOTS = 1024, BOARD_SOURCE = 512 };

/** Identifies memory as a board of this layout. */
#define BOARD_MAGIC UINT64_C(0x3162676e6c706374)

/** The environment variable by which the command passes the board's descriptor to its program. */
#define BOARD_VARIABLE "TCPLAN_REGIONS"

struct board_slot {
    atomic_int is_ready; /* the name and numbers of the slot may be read */
    char name[TCPLAN_REGION_NAME];
    int64_t calls;
    int threads; /* number of threads of the process that have been in the region */
    int open;    /* number of begins without an end */
    double seconds;
    struct counter_totals totals;
};

struct board {
    uint64_t magic;
    uint64_t bytes;
    char source[BOARD_SOURCE]; /* source of counts, as in counter_open() */
    atomic_int slots;          /* number of claimed slots; may exceed BOARD_SLOTS */
    atomic_int lost_ends;      /* number of ends without a begin */
    atomic_int has_lost_name;
    char lost_name[TCPLAN_REGION_NAME]; /* name of the region of the first end without a begin */
    atomic_int has_reasons;
    char class[24]; /* name of the kind of source that counts */
    char why_not[COUNTER_QUANTITIES][COUNTER_REASON];
    struct board_slot slot[BOARD_SLOTS];
};

/** Sets up a board in zeroed memory. */
void board_begin(struct board *board, const char *source);

/** Claims a new slot; returns NULL if all are taken. */
struct board_slot *board_claim(struct board *board, const char *name);

/** Appends the regions of a board to a list, merging slots with the same name; returns false if out
 * of memory. */
bool board_read(struct tcplan_regions *regions, const struct board *board);

/** Sets operations, bytes, speed and intensity of a region from counts. */
void region_count(struct tcplan_region *region, const struct counter_totals *totals);

/** Records why a quantity has no counts, unless a reason is already recorded. */
void regions_explain(struct tcplan_regions *regions, enum counter_quantity quantity,
                     const char *reason);

#endif
