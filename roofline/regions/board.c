#include "roofline/regions/board.h"

#include <stdio.h>
#include <string.h>

#include "roofline/regions/list.h"

void board_begin(struct board *board, const char *source) {
    board->magic = BOARD_MAGIC;
    board->bytes = sizeof *board;
    snprintf(board->source, sizeof board->source, "%s", source);
}

struct board_slot *board_claim(struct board *board, const char *name) {
    const int place = atomic_fetch_add(&board->slots, 1);
    if (place >= BOARD_SLOTS) return NULL;
    struct board_slot *slot = &board->slot[place];
    snprintf(slot->name, sizeof slot->name, "%s", name);
    for (int q = 0; q < COUNTER_QUANTITIES; q++) {
        slot->totals.known[q] = true;
        slot->totals.share[q] = 1;
    }
    atomic_store(&slot->is_ready, 1);
    return slot;
}

void region_count(struct tcplan_region *region, const struct counter_totals *totals) {
    const bool has_memory = totals->known[COUNTER_READ] && totals->known[COUNTER_WRITTEN];
    double share = 1;
    if (totals->known[COUNTER_FLOPS]) {
        region->flops = totals->amount[COUNTER_FLOPS];
        region->flops_origin = TCPLAN_ORIGIN_MEASURED;
        share = totals->share[COUNTER_FLOPS];
        memcpy(region->width_flops, totals->width_flops, sizeof region->width_flops);
    }
    if (has_memory) {
        region->written_bytes = totals->amount[COUNTER_WRITTEN];
        region->bytes = totals->amount[COUNTER_READ] + region->written_bytes;
        region->bytes_source = TCPLAN_BYTES_CONTROLLERS;
        if (totals->share[COUNTER_READ] < share) share = totals->share[COUNTER_READ];
        if (totals->share[COUNTER_WRITTEN] < share) share = totals->share[COUNTER_WRITTEN];
    } else if (totals->known[COUNTER_MISSES]) {
        region->bytes = totals->amount[COUNTER_MISSES];
        region->bytes_source = TCPLAN_BYTES_MISSES;
        if (totals->share[COUNTER_MISSES] < share) share = totals->share[COUNTER_MISSES];
    }
    region->counted_share = share;
    region_complete(region);
}

void regions_explain(struct tcplan_regions *regions, enum counter_quantity quantity,
                     const char *reason) {
    char *const places[COUNTER_QUANTITIES] = {regions->why_no_flops, regions->why_no_misses,
                                              regions->why_no_bytes, regions->why_no_bytes};
    if (places[quantity] && !places[quantity][0])
        snprintf(places[quantity], TCPLAN_MESSAGE_SIZE, "%s", reason);
}

/** Sets a region to the sum of all slots with its name, of which slot number `first` is the first
 * one. */
static void sum_up(struct tcplan_region *region, const struct board *board, int first, int slots) {
    struct counter_totals totals = board->slot[first].totals;
    region->seconds = 0;
    for (int s = first; s < slots; s++) {
        const struct board_slot *slot = &board->slot[s];
        if (!atomic_load(&slot->is_ready) || strcmp(slot->name, board->slot[first].name) != 0)
            continue;
        region->calls += slot->calls;
        region->threads += slot->threads;
        region->unended += slot->open;
        if (slot->seconds > region->seconds)
            region->seconds = slot->seconds; /* several slots belong to concurrent processes, so the
                                                longest time counts */
        if (s > first) counter_add(&totals, &slot->totals);
    }
    if (region->seconds > 0) {
        region_count(region, &totals);
    } else { /* no thread has left the region */
        region->seconds = -1;
    }
}

static bool is_first(const struct board *board, int place) {
    for (int s = 0; s < place; s++) {
        if (atomic_load(&board->slot[s].is_ready) &&
            strcmp(board->slot[s].name, board->slot[place].name) == 0)
            return false;
    }
    return true;
}

bool board_read(struct tcplan_regions *regions, const struct board *board) {
    const int claimed = atomic_load(&board->slots),
              slots = claimed < BOARD_SLOTS ? claimed : BOARD_SLOTS;
    for (int s = 0; s < slots; s++) {
        const struct board_slot *slot = &board->slot[s];
        if (!atomic_load(&slot->is_ready) || !is_first(board, s)) continue;
        struct tcplan_region *region = regions_add(regions, slot->name, strlen(slot->name));
        if (!region) return false;
        sum_up(region, board, s, slots);
    }
    regions->lost_ends = atomic_load(&board->lost_ends);
    if (regions->lost_ends > 0)
        snprintf(regions->lost_name, sizeof regions->lost_name, "%s", board->lost_name);
    regions->lost_regions = claimed - slots;
    for (int q = 0; q < COUNTER_QUANTITIES && atomic_load(&board->has_reasons); q++) {
        if (board->why_not[q][0])
            regions_explain(regions, (enum counter_quantity)q, board->why_not[q]);
    }
    return true;
}
