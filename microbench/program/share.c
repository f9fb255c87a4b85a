#include "microbench/program/share.h"

#include "gen/runtime/places.h"
#include "gen/runtime/team.h"

struct shared_work {
    int parts;
    share_fn *part;
    void *context;
    int *by;
};

static void do_parts(struct team_member *member, void *context) {
    const struct shared_work *work = context;
    for (ptrdiff_t p = -1; (p = team_next(member, work->parts, p)) >= 0;) {
        if (work->by) work->by[p] = member->number;
        work->part(work->context, (int)p);
    }
}

void share_run(int threads, share_fn *part, void *context, int by[]) {
    struct shared_work work = {.parts = threads, .part = part, .context = context, .by = by};
    team_run(threads, do_parts, &work);
}
