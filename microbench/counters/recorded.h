/**
 * Counts from a file: what a machine with counters said, for machines without and for tests.
 *
 *   file  = "counts 1" line-end { line line-end }
 *   line  = [ event | missing | growth ] [ "#" comment ]
 *   event   = "event" quantity weight bits name       as struct counter_event has them; before the
 *                                                     first growth
 *   missing = "missing" quantity reason               why a quantity has no event
 *   growth  = "growth" { count [ "@" share ] }        of each event, up to the next reading; the
 *                                                     share of the time that it was on a counter
 *
 * Each reading is one growth further than the one before; behind the last line they begin again
 * with the first.
 */
#ifndef MICROBENCH_COUNTERS_RECORDED_H
#define MICROBENCH_COUNTERS_RECORDED_H

#include "microbench/counters/source.h"

/** As counter_open(); only events of these quantities are kept. */
enum tcplan_status recorded_open(struct counter_source **out, const char *path, unsigned quantities,
                                 struct tcplan_error *error);

/** The same from `length` bytes of text. */
enum tcplan_status recorded_parse(struct counter_source **out, const char *text, size_t length,
                                  unsigned quantities, struct tcplan_error *error);

#endif
