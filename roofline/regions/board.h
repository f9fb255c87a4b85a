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

/** Identifies a file as a board of this layout. */
#define BOARD_MAGIC UINT64_C(0x3162676e6c706374)

/** The variable by which the command passes the board's descriptor to its program. */
#define BOARD_VARIABLE "TCPLAN_REGIONS"

struct board_slot {
    atomic_int is_ready; /* name and numbers may be read */
    char name[TCPLAN_REGION_NAME];
    int64_t calls;
    int threads; /* of its process that were in it */
    int open;    /* threads that are in it */
    double seconds;
    struct counter_totals totals;
};

struct board {
    uint64_t magic;
    uint64_t bytes;
    char source[BOARD_SOURCE]; /* of counts, as counter_open() takes it */
    atomic_int slots;          /* claimed; may be more than there are */
    atomic_int lost_ends;      /* without a begin */
    atomic_int has_lost_name;
    char lost_name[TCPLAN_REGION_NAME]; /* of the first of them */
    atomic_int has_reasons;
    char class[24]; /* of the source that counts */
    char why_not[COUNTER_QUANTITIES][COUNTER_REASON];
    struct board_slot slot[BOARD_SLOTS];
};

/** Sets up zeroed memory. */
void board_begin(struct board *board, const char *source);

/** Claims a new slot; NULL: all are taken. */
struct board_slot *board_claim(struct board *board, const char *name);

/** Appends the regions on a board to a list, merging slots with the same name; false without
 * memory. */
bool board_read(struct tcplan_regions *regions, const struct board *board);

/** Sets a region's numbers from the counts. */
void region_count(struct tcplan_region *region, const struct counter_totals *totals);

/** Records, once, why a quantity has no counts. */
void regions_explain(struct tcplan_regions *regions, enum counter_quantity quantity,
                     const char *reason);

#endif
