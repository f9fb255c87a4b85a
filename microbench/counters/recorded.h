/**
 * Replays counts from a file recorded on a machine with counters, for machines without counters and
 * for tests.
 *
 *     file    = "counts 1" line-end { line line-end }
 *     line    = [ event | missing | growth ] [ "#" comment ]
 *     event   = "event" quantity weight bits name
 *     missing = "missing" quantity reason
 *     growth  = "growth" { count [ "@" share ] }
 *
 * - `event`: the members of struct counter_event; all events precede the first growth
 * - the quantity of an event may be `named`: the event is used if the caller requests its name
 * - `missing`: why a quantity has no event
 * - `growth`: for each event, the count until the next reading, and the share of the time that the
 *   event was on a hardware counter
 *
 * Each reading advances by one growth; after the last line the growths start again with the first.
 */
#ifndef MICROBENCH_COUNTERS_RECORDED_H
#define MICROBENCH_COUNTERS_RECORDED_H

#include "microbench/counters/source.h"

/** Opens a file like counter_open(); ignores events of other quantities and other names. */
enum tcplan_status recorded_open(struct counter_source **out, const char *path,
                                 const struct counter_target *target, struct tcplan_error *error);

/** Reads events like recorded_open(), from `length` bytes of text instead of a file. */
enum tcplan_status recorded_parse(struct counter_source **out, const char *text, size_t length,
                                  const struct counter_target *target, struct tcplan_error *error);

#endif
