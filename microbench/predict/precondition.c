#include "microbench/predict/precondition.h"

#include <assert.h>

#include "base/error.h"
#include "base/quantity.h"
#include "microbench/copy/touch.h"

/* Share of the page limit for the pages of the history; the timed calls need the remaining
 * pages. */
#define HISTORY_SHARE_OF_MEMORY 0.4
#define STRETCH_SHARE_OF_MEMORY 0.5

/* Places. */

struct tensor_pointers window_base(const struct window *window) {
    return program_base(window->buffers);
}

static struct history_place place_of(const struct window *window, const struct tcplan_node *leaf,
                                     const int64_t *at, const struct tcplan_node **skipped) {
    for (int r = 0; r < window->rare_count; r++) skipped[r] = window->rare[r].operation->node;
    return (struct history_place){.nest = window->program->nest,
                                  .problem = &window->problem,
                                  .leaf = leaf,
                                  .granularity = window->settings.granularity,
                                  .at = at,
                                  .skipped = skipped,
                                  .skipped_count = window->rare_count};
}

static char *region_base(const struct window *window, const struct region *region, int thread) {
    const struct tcplan_program *program = window->program;
    if (!region->temporary) return window->buffers->tensor[region->operand].base;
    return program->temporary[region->operand] + thread * program->private_bytes[region->operand];
}

/**
 * Fills the pages of a temporary. Otherwise pages that were not written yet would be read from the
 * shared zero page, which is in cache, or be mapped while the temporary is timed.
 */
static void back_temporary(const struct window *window, const struct region *region, int thread) {
    touch_fill(region, region_base(window, region, thread),
               window->settings.granularity.page_bytes);
}

static void back_list(struct window *window, const struct region_list *list, int thread) {
    for (size_t r = 0; r < list->count; r++) {
        if (!list->region[r].temporary) buffers_back(window->buffers, &list->region[r]);
        if (list->region[r].temporary && window->buffers->scratch.has_zeros)
            back_temporary(window, &list->region[r], thread);
    }
}

static size_t missing_bytes(const struct window *window, const struct region_list *list) {
    size_t bytes = 0;
    if (buffers_all_backed(window->buffers)) return 0;
    for (size_t r = 0; r < list->count; r++)
        bytes += buffers_missing_bytes(window->buffers, &list->region[r]);
    return bytes;
}

/** Returns the bytes of pages that must be backed: for the accesses of the timed calls (lists
 * `ahead`), or with `history` for all lists. */
static size_t all_missing_bytes(const struct window *window, const struct precondition *place,
                                int count, bool with_history) {
    size_t bytes = 0;
    for (int p = 0; p < count; p++) {
        bytes += missing_bytes(window, &place[p].ahead);
        if (with_history) bytes += missing_bytes(window, &place[p].before);
    }
    return bytes;
}

/** Halves all histories by dropping their older accesses; returns false if none is left. */
static bool shorten_histories(struct precondition *place, int count) {
    bool any = false;
    for (int p = 0; p < count; p++) {
        any = any || place[p].before.count > 0;
        place[p].before.count /= 2;
    }
    return any;
}

/**
 * Backs all pages of all lists. If the limit would be exceeded, releases all other pages, and
 * shortens histories if that does not suffice. Returns TCPLAN_NO_MEMORY if the `ahead` lists alone
 * exceed the limit.
 */
static enum tcplan_status back_places(struct window *window, struct precondition *place, int count,
                                      struct tcplan_error *error) {
    struct buffers *buffers = window->buffers;
    for (int p = 0; p < count; p++) {
        if (place[p].before.out_of_memory || place[p].ahead.out_of_memory)
            return error_no_memory(error);
    }
    const size_t missing =
        all_missing_bytes(window, place, count,
                          true); /* an earlier measurement may have backed more than the limit */
    if (missing > 0 && buffers->resident_bytes + missing > buffers->limit_bytes) {
        buffers_release(buffers);
        while (all_missing_bytes(window, place, count, true) > buffers->limit_bytes &&
               shorten_histories(place, count))
            continue;
    }
    const size_t needed_bytes = all_missing_bytes(window, place, count, false);
    if (needed_bytes > 0 && buffers->resident_bytes + needed_bytes > buffers->limit_bytes) {
        buffers->exceeded = true;
        return error_set(
            error, TCPLAN_NO_MEMORY, "one stretch of calls touches %s, more than the %s allowed",
            quantity_bytes(needed_bytes).text, quantity_bytes(buffers->limit_bytes).text);
    }
    assert(count > 0 && count <= window->program->sharing.threads);
    for (int p = 0; p < count; p++) back_list(window, &place[p].before, p);
    for (int p = 0; p < count; p++) {
        back_list(window, &place[p].ahead, p);
        buffers_settle(buffers, place[p].ahead.region, place[p].ahead.count);
    }
    return TCPLAN_OK;
}

/** Backs the pages that the calls after one place need. */
static enum tcplan_status back_ahead(struct window *window, const struct region_list *ahead,
                                     struct tcplan_error *error) {
    struct precondition place = {.ahead = *ahead};
    return back_places(window, &place, 1, error);
}

static void evict(const struct window *window, const struct region_list *list, int thread) {
    for (size_t r = 0; r < list->count; r++) {
        touch_evict(&list->region[r], region_base(window, &list->region[r], thread),
                    window->settings.granularity.line_bytes);
    }
}

static void list_ahead(const struct window *window, int64_t position, int64_t calls,
                       struct region_list *out) {
    const struct tcplan_node *skipped[WINDOW_MAX_RARE];
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    program_iterations(window->program, window->program->kernel, position, at);
    const struct history_place place = place_of(window, window->program->kernel->node, at, skipped);
    history_ahead(out, &place, calls);
}

bool precondition_fits_memory(const struct window *window, int64_t position, int64_t calls) {
    struct region_list ahead = {0};
    list_ahead(window, position, calls, &ahead);
    const double page_bytes = ahead.page_bytes * window->program->sharing.threads;
    region_list_free(&ahead);
    return page_bytes <= STRETCH_SHARE_OF_MEMORY * (double)window->buffers->limit_bytes;
}

enum tcplan_status precondition_memory(struct window *window, int64_t position, int64_t calls,
                                       struct tcplan_error *error) {
    struct region_list ahead = {0};
    list_ahead(window, position, calls, &ahead);
    enum tcplan_status status = back_ahead(window, &ahead, error);
    region_list_free(&ahead);
    return status;
}

static void list_regions(const struct window *window, struct precondition *place, int64_t calls,
                         double history_page_bytes) {
    const struct tcplan_node *skipped[WINDOW_MAX_RARE];
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    program_iterations(window->program, window->program->kernel, place->position, at);
    const struct history_place from = place_of(window, window->program->kernel->node, at, skipped);
    place->before = place->ahead = (struct region_list){0};
    if (window->settings.history_bytes > 0) {
        history_before(&place->before, &from, window->settings.history_bytes, history_page_bytes,
                       window->settings.cache == TCPLAN_CACHE_WARM);
    }
    history_ahead(&place->ahead, &from, calls);
}

enum tcplan_status precondition_begin(struct window *window, int count, int64_t calls,
                                      const struct region_list *extra, struct tcplan_error *error) {
    struct precondition *place = window->place;
    const double page_bytes =
        (double)window->buffers->limit_bytes * HISTORY_SHARE_OF_MEMORY / count;
    for (int p = 0; p < count; p++) list_regions(window, &place[p], calls, page_bytes);
    for (size_t r = 0; extra && r < extra->count; r++)
        region_list_add(&place->ahead, &extra->region[r], window->settings.granularity);
    return back_places(window, place, count, error);
}

void precondition_replay(const struct window *window, const struct precondition *place,
                         int thread) {
    const struct region_list *history = &place->before;
    if (window->settings.cache == TCPLAN_CACHE_COLD) evict(window, &place->ahead, thread);
    for (size_t r = history->count; r-- > 0;) {
        const struct region *region = &history->region[r];
        touch_region(region, region_base(window, region, thread),
                     window->settings.granularity.line_bytes);
    }
}

void precondition_end(struct window *window, int count) {
    for (int p = 0; p < count; p++) {
        region_list_free(&window->place[p].before);
        region_list_free(&window->place[p].ahead);
    }
}

/** Adds to a list the slice that a copy or scaling writes or, for copies, the slice that it
 * reads. A temporary is added only if its pages may have to be backed. */
static void add_block(struct window *window, struct region_list *list, const struct strided *block,
                      struct tcplan_slice slice, bool written, struct tensor_pointers at) {
    if (slice.temporary && !window->buffers->scratch.has_zeros) return;
    const ptrdiff_t from_base =
        slice.temporary ? at.temporary_bytes[slice.operand]
                        : at.tensor[slice.operand] - window->buffers->tensor[slice.operand].base;
    const ptrdiff_t *steps = written ? block->to_bytes : block->from_bytes;
    const ptrdiff_t first_bytes = written ? block->to_first_bytes : block->from_first_bytes;
    struct region region = {.operand = slice.operand,
                            .temporary = slice.temporary,
                            .written = written,
                            .offset_bytes = from_base + first_bytes,
                            .element_bytes = (int64_t)window->problem.written.element_bytes};
    strided_dimensions(&region, block, steps);
    region_sort(&region);
    region_list_add(list, &region, window->settings.granularity);
}

void precondition_rare_regions(struct window *window, struct region_list *list,
                               const struct operation *operation, int64_t occurrence) {
    const struct tensor_pointers at =
        program_locate(window->program, operation, occurrence, window_base(window));
    const struct strided *block = &operation->strided;
    if (operation->kind == OPERATION_SCALE) {
        add_block(window, list, block, operation->node->scale.slice, true, at);
    } else {
        add_block(window, list, block, operation->node->copy.to, true, at);
        add_block(window, list, block, operation->node->copy.from, false, at);
    }
}

enum tcplan_status window_back_first(struct window *window, const struct operation *operation,
                                     struct tcplan_error *error) {
    if (operation->kind == OPERATION_KERNEL) return precondition_memory(window, 0, 1, error);
    struct region_list own = {0};
    precondition_rare_regions(window, &own, operation, 0);
    enum tcplan_status status = back_ahead(window, &own, error);
    region_list_free(&own);
    return status;
}

enum tcplan_status window_back(struct window *window, const struct region_list *list,
                               struct tcplan_error *error) {
    return back_ahead(window, list, error);
}
