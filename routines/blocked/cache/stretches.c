#include "routines/blocked/cache/stretches.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/** Maximum work of the warm-up (the untimed calls before a stretch) as a share of all work: data of
 * still earlier calls are hardly in the caches. */
#define MOST_LEAD (1.0 / 16)
/** Minimum share of a stratum's work that a statement needs in order to be timed. */
#define LEAST_SHARE 1e-4

enum {
    MOST_ALIKE = 64 /* maximum number of consecutive calls of one statement in a stretch, such as
                       the rows of a copy */
};

/** Returns the index of the entry for a statement in a stratum. */
static size_t at(const struct stretches *stretches, int stratum, int statement) {
    return (size_t)stratum * (size_t)stretches->statements + (size_t)statement;
}

static void divide(struct stretches *stretches) {
    const double all = stretches_work(stretches, 0, stretches->count);
    double done = 0;
    int stratum = 0;
    for (int64_t c = 0; c < stretches->count; c++) {
        /* The call during which the work reaches a stratum's share begins the next stratum. */
        while (stratum < stretches->strata - 1 &&
               done + stretches->call[c].work / 2 >= all * (stratum + 1) / stretches->strata) {
            stretches->begin[++stratum] = c;
        }
        done += stretches->call[c].work;
        stretches->work[at(stretches, stratum, stretches->call[c].statement)] +=
            stretches->call[c].work;
    }
    while (stratum < stretches->strata) stretches->begin[++stratum] = stretches->count;
}

bool stretches_init(struct stretches *stretches) {
    if (stretches->strata > stretches->count) stretches->strata = (int)stretches->count;
    if (stretches->strata > STRETCHES_MOST_STRATA) stretches->strata = STRETCHES_MOST_STRATA;
    const size_t places = at(stretches, stretches->strata, 0) + 1;
    stretches->work = base_alloc_zero(places, sizeof *stretches->work);
    stretches->timed_work = base_alloc_zero(places, sizeof *stretches->timed_work);
    stretches->timed = base_alloc_zero(places, sizeof *stretches->timed);
    stretches->covered =
        base_alloc_zero((size_t)stretches->statements + 1, sizeof *stretches->covered);
    if (!stretches->work || !stretches->timed_work || !stretches->timed || !stretches->covered)
        return false;
    divide(stretches);
    return true;
}

void stretches_free(struct stretches *stretches) {
    base_free(stretches->work);
    base_free(stretches->timed_work);
    base_free(stretches->timed);
    base_free(stretches->covered);
    *stretches = (struct stretches){.count = 0};
}

double stretches_work(const struct stretches *stretches, int64_t first, int64_t end) {
    double work = 0;
    for (int64_t c = first; c < end; c++) work += stretches->call[c].work;
    return work;
}

void stretches_begin(struct stretches *stretches) {
    const size_t places = at(stretches, stretches->strata, 0);
    for (size_t p = 0; p < places; p++) stretches->timed[p] = stretches->timed_work[p] = 0;
}

/** Marks the statements of a stratum that need no stretch: they already had one, or their work is
 * too small. */
static void find_covered(struct stretches *stretches, int stratum) {
    double all = 0;
    for (int s = 0; s < stretches->statements; s++)
        all += stretches->work[at(stretches, stratum, s)];
    for (int s = 0; s < stretches->statements; s++) {
        const size_t place = at(stretches, stratum, s);
        stretches->covered[s] =
            stretches->timed_work[place] > 0 || stretches->work[place] < LEAST_SHARE * all;
    }
}

/** Draws a call among those of statements that still need a stretch, with probabilities
 * proportional to work; -1: there is none. */
static int64_t draw(const struct stretches *stretches, int stratum, struct random *random) {
    const int64_t begin = stretches->begin[stratum], end = stretches->begin[stratum + 1];
    double open = 0;
    int64_t last = -1;
    for (int64_t c = begin; c < end; c++)
        open += stretches->covered[stretches->call[c].statement] ? 0 : stretches->call[c].work;
    const double drawn = random_unit(random) * open;
    double passed = 0;
    for (int64_t c = begin; c < end && (last < 0 || passed <= drawn); c++) {
        if (stretches->covered[stretches->call[c].statement]) continue;
        passed += stretches->call[c].work;
        last = c;
    }
    return last;
}

/** Returns the first call of the warm-up of a stretch: moves back until every statement of the
 * stretch has occurred. */
static int64_t find_lead(const struct stretches *stretches, int64_t first, int64_t end) {
    const double most = MOST_LEAD * stretches_work(stretches, 0, stretches->count);
    bool *wanted =
        stretches->covered; /* `covered` is reused, because the stretch is already known */
    int missing = 0;
    double work = 0;
    int64_t lead = first;
    memset(wanted, 0, (size_t)stretches->statements * sizeof *wanted);
    for (int64_t c = first; c < end; c++) {
        bool *of = &wanted[stretches->call[c].statement];
        missing += !*of;
        *of = true;
    }
    while (lead > 0 && missing > 0 && work < most) {
        const struct stretch_call *call = &stretches->call[--lead];
        work += call->work;
        missing -= wanted[call->statement];
        wanted[call->statement] = false;
    }
    return lead;
}

bool stretches_next(struct stretch *out, struct stretches *stretches, int stratum,
                    struct random *random) {
    const struct stretch_call *call = stretches->call;
    find_covered(stretches, stratum);
    const int64_t first = draw(stretches, stratum, random);
    if (first < 0) return false;
    int64_t end = first + 1, alike = 1;
    stretches->covered[call[first].statement] = true;
    for (; end < stretches->count && alike < MOST_ALIKE; end++) {
        const bool continues = call[end].statement == call[end - 1].statement;
        if (stretches->covered[call[end].statement] && !continues) break;
        stretches->covered[call[end].statement] = true;
        alike = continues ? alike + 1 : 1;
    }
    *out = (struct stretch){
        .stratum = stratum, .lead = find_lead(stretches, first, end), .first = first, .end = end};
    return true;
}

void stretches_note(struct stretches *stretches, int stratum, int64_t call, double ns) {
    const size_t place = at(stretches, stratum, stretches->call[call].statement);
    stretches->timed[place] += ns;
    stretches->timed_work[place] += stretches->call[call].work;
}

/** Returns the time per unit of work of a statement in a stratum. A negative stratum means all
 * strata, a negative statement all statements. Returns a negative number if nothing was timed. */
static double seconds_per_work(const struct stretches *stretches, int stratum, int statement) {
    double ns = 0, work = 0;
    for (int k = 0; k < stretches->strata; k++) {
        for (int s = 0; s < stretches->statements; s++) {
            if ((stratum >= 0 && k != stratum) || (statement >= 0 && s != statement)) continue;
            ns += stretches->timed[at(stretches, k, s)];
            work += stretches->timed_work[at(stretches, k, s)];
        }
    }
    return work > 0 ? ns / work : -1;
}

int64_t stretches_settle(double ns[], bool settled[], const double tried_ns[],
                         const bool disturbed[], int64_t count) {
    int64_t open = 0;
    for (int64_t c = 0; c < count; c++) {
        if (settled[c]) continue;
        settled[c] = !disturbed[c];
        ns[c] = settled[c] ? tried_ns[c] : fmin(ns[c], tried_ns[c]);
        open += !settled[c];
    }
    return open;
}

double stretches_sum(const struct stretches *stretches, double of_statement[]) {
    double all = 0;
    for (int s = 0; s < stretches->statements; s++) {
        double sum = 0;
        for (int k = 0; k < stretches->strata; k++) {
            double ns = seconds_per_work(stretches, k, s);
            if (ns < 0) ns = seconds_per_work(stretches, -1, s);
            if (ns < 0) ns = seconds_per_work(stretches, -1, -1);
            sum += ns > 0 ? ns * stretches->work[at(stretches, k, s)] : 0;
        }
        if (of_statement) of_statement[s] = sum;
        all += sum;
    }
    return all;
}
