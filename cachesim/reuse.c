#include "cachesim/reuse.h"

#include "base/alloc.h"

enum { LEAST_CAPACITY = 1 << 10 };

/* The Fenwick tree: node t (from 1) sums the marks of times t - (t & -t) to t - 1. */

static void mark(struct reuse *reuse, int64_t time) {
    for (int64_t t = time + 1; t <= reuse->capacity; t += t & -t) reuse->marks[t]++;
}

static void unmark(struct reuse *reuse, int64_t time) {
    for (int64_t t = time + 1; t <= reuse->capacity; t += t & -t) reuse->marks[t]--;
}

/** Returns the number of marks at times up to and including `time`. */
static int64_t marks_until(const struct reuse *reuse, int64_t time) {
    int64_t sum = 0;
    for (int64_t t = time + 1; t > 0; t -= t & -t) sum += reuse->marks[t];
    return sum;
}

/** Marks all times before `now`. */
static void mark_all(struct reuse *reuse) {
    for (int64_t t = 0; t <= reuse->capacity; t++) reuse->marks[t] = 0;
    for (int64_t t = 1; t <= reuse->capacity; t++) {
        reuse->marks[t] += t <= reuse->now;
        const int64_t parent = t + (t & -t);
        if (parent <= reuse->capacity) reuse->marks[parent] += reuse->marks[t];
    }
}

static bool reserve(struct reuse *reuse, int64_t capacity) {
    if (capacity <= reuse->capacity) return true;
    uint64_t *line_at = base_realloc(reuse->line_at, (size_t)capacity * sizeof *line_at);
    if (line_at) reuse->line_at = line_at;
    uint32_t *marks =
        line_at ? base_realloc(reuse->marks, (size_t)(capacity + 1) * sizeof *marks) : NULL;
    if (!marks) return false;
    reuse->marks = marks;
    reuse->capacity = capacity;
    return true;
}

/** Renumbers the last accesses with consecutive times from 0, and makes room for at least three
 * times as many further accesses. */
static bool renumber(struct reuse *reuse) {
    int64_t kept = 0;
    for (int64_t time = 0; time < reuse->now; time++) {
        int64_t *last = line_table_find(&reuse->last, reuse->line_at[time]);
        if (*last != time) continue;
        *last = kept;
        reuse->line_at[kept++] = reuse->line_at[time];
    }
    reuse->now = kept;
    if (!reserve(reuse, 4 * kept)) return false;
    mark_all(reuse);
    return true;
}

bool reuse_init(struct reuse *out) {
    *out = (struct reuse){0};
    if (!line_table_init(&out->last, LEAST_CAPACITY) || !reserve(out, LEAST_CAPACITY)) {
        reuse_free(out);
        return false;
    }
    mark_all(out);
    return true;
}

void reuse_free(struct reuse *reuse) {
    line_table_free(&reuse->last);
    base_free(reuse->line_at);
    base_free(reuse->marks);
    *reuse = (struct reuse){0};
}

int64_t reuse_access(struct reuse *reuse, uint64_t line) {
    int64_t distance = REUSE_NEVER;
    if (reuse->now == reuse->capacity && !renumber(reuse)) reuse->out_of_memory = true;
    if (reuse->out_of_memory) return distance;
    int64_t *last = line_table_find(&reuse->last, line);
    if (last) {
        distance = (int64_t)reuse->last.count - marks_until(reuse, *last);
        unmark(reuse, *last);
    } else {
        last = line_table_add(&reuse->last, line);
    }
    reuse->out_of_memory = !last;
    if (!last) return distance;
    *last = reuse->now;
    mark(reuse, reuse->now);
    reuse->line_at[reuse->now++] = line;
    return distance;
}
