#include "microbench/precondition.h"

#include "base/error.h"
#include "microbench/touch.h"

/* Pages that the history may fill, of those the buffers may hold; the rest is for the stretch itself. */
#define HISTORY_SHARE_OF_MEMORY 0.4
#define STRETCH_SHARE_OF_MEMORY 0.5

/* Places. */

struct tensor_pointers window_base(const struct window *window) {
    struct tensor_pointers base;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) base.tensor[t] = window->buffers->tensor[t].base;
    return base;
}

static struct history_place place_of(const struct window *window, const struct tcplan_node *leaf, const int64_t *at,
                                     const struct tcplan_node **skipped) {
    for (int r = 0; r < window->rare_count; r++) skipped[r] = window->rare[r].operation->node;
    return (struct history_place){.nest = window->program->nest,
                                  .problem = &window->problem,
                                  .leaf = leaf,
                                  .granularity = window->settings.granularity,
                                  .at = at,
                                  .skipped = skipped,
                                  .skipped_count = window->rare_count};
}

static char *region_base(const struct window *window, const struct region *region) {
    return region->temporary ? window->program->temporary[region->operand] : window->buffers->tensor[region->operand].base;
}

/* Making the cache state. */

static void back_list(struct window *window, const struct region_list *list) {
    for (size_t r = 0; r < list->count; r++) buffers_back(window->buffers, &list->region[r]);
}

static size_t missing_bytes(const struct window *window, const struct region_list *list) {
    size_t bytes = 0;
    for (size_t r = 0; r < list->count; r++) bytes += buffers_missing_bytes(window->buffers, &list->region[r]);
    return bytes;
}

/**
 * Backs all pages of both lists. Where the bound would be exceeded everything else is given back first, then the older part of the
 * history is left out; TCPLAN_NO_MEMORY where what lies ahead alone exceeds it.
 */
static enum tcplan_status back_lists(struct window *window, struct region_list *before, const struct region_list *ahead,
                                     struct tcplan_error *error) {
    struct buffers *buffers = window->buffers;
    if (before->out_of_memory || ahead->out_of_memory) return error_no_memory(error);
    if (buffers->resident_bytes + missing_bytes(window, before) + missing_bytes(window, ahead) > buffers->limit_bytes) {
        buffers_release(buffers);
        while (before->count > 0 && missing_bytes(window, before) + missing_bytes(window, ahead) > buffers->limit_bytes) before->count /= 2;
    }
    const size_t needed_bytes = missing_bytes(window, ahead);
    if (buffers->resident_bytes + needed_bytes > buffers->limit_bytes) {
        return error_set(error, TCPLAN_NO_MEMORY, "one stretch of calls touches %.1f MiB, more than the %.1f MiB allowed",
                         (double)needed_bytes / 0x1p20, (double)buffers->limit_bytes / 0x1p20);
    }
    back_list(window, before);
    back_list(window, ahead);
    return TCPLAN_OK;
}

static void replay(const struct window *window, const struct region_list *history) {
    for (size_t r = history->count; r-- > 0;) {
        const struct region *region = &history->region[r];
        touch_region(region, region_base(window, region), window->settings.granularity.line_bytes);
    }
}

static void evict(const struct window *window, const struct region_list *list) {
    for (size_t r = 0; r < list->count; r++) {
        touch_evict(&list->region[r], region_base(window, &list->region[r]), window->settings.granularity.line_bytes);
    }
}

static void list_ahead(const struct window *window, int64_t position, int64_t calls, struct region_list *out) {
    const struct tcplan_node *skipped[WINDOW_MAX_RARE];
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    program_iterations(window->program, window->program->kernel, position, at);
    const struct history_place place = place_of(window, window->program->kernel->node, at, skipped);
    history_ahead(out, &place, calls);
}

bool precondition_fits_memory(const struct window *window, int64_t position, int64_t calls) {
    struct region_list ahead = {0};
    list_ahead(window, position, calls, &ahead);
    const double page_bytes = ahead.page_bytes;
    region_list_free(&ahead);
    return page_bytes <= STRETCH_SHARE_OF_MEMORY * (double)window->buffers->limit_bytes;
}

enum tcplan_status precondition_memory(struct window *window, int64_t position, int64_t calls, struct tcplan_error *error) {
    struct region_list nothing = {0};
    struct region_list ahead = {0};
    list_ahead(window, position, calls, &ahead);
    enum tcplan_status status = back_lists(window, &nothing, &ahead, error);
    region_list_free(&ahead);
    return status;
}

enum tcplan_status precondition_make(struct window *window, int64_t position, int64_t calls, const struct region_list *extra,
                                     struct tcplan_error *error) {
    const struct tcplan_node *skipped[WINDOW_MAX_RARE];
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    program_iterations(window->program, window->program->kernel, position, at);
    const struct history_place place = place_of(window, window->program->kernel->node, at, skipped);
    struct region_list before = {0};
    struct region_list ahead = {0};
    if (window->settings.history_bytes > 0) {
        const double page_bytes = (double)window->buffers->limit_bytes * HISTORY_SHARE_OF_MEMORY;
        history_before(&before, &place, window->settings.history_bytes, page_bytes, window->settings.cache == TCPLAN_CACHE_WARM);
    }
    history_ahead(&ahead, &place, calls);
    for (size_t r = 0; extra && r < extra->count; r++) region_list_add(&ahead, &extra->region[r], window->settings.granularity);
    enum tcplan_status status = back_lists(window, &before, &ahead, error);
    if (status == TCPLAN_OK) {
        if (window->settings.cache == TCPLAN_CACHE_COLD) evict(window, &ahead);
        replay(window, &before);
    }
    region_list_free(&before);
    region_list_free(&ahead);
    return status;
}

/** Adds the slice that a copy or scaling writes, or the one that a copy reads. */
static void add_block(struct window *window, struct region_list *list, const struct strided *block, struct tcplan_slice slice, bool written,
                      struct tensor_pointers at) {
    if (slice.temporary) return;
    const ptrdiff_t *steps = written ? block->to_bytes : block->from_bytes;
    const ptrdiff_t first_bytes = written ? block->to_first_bytes : block->from_first_bytes;
    struct region region = {.operand = slice.operand,
                            .written = written,
                            .rank = block->rank,
                            .offset_bytes = at.tensor[slice.operand] - window->buffers->tensor[slice.operand].base + first_bytes,
                            .element_bytes = (int64_t)window->problem.element_bytes};
    for (int d = 0; d < block->rank; d++) region.dimension[d] = (struct region_dimension){block->extent[d], steps[d]};
    region_sort(&region);
    region_list_add(list, &region, window->settings.granularity);
}

void precondition_rare_regions(struct window *window, struct region_list *list, const struct operation *operation, int64_t occurrence) {
    const struct tensor_pointers at = program_locate(window->program, operation, occurrence, window_base(window));
    const struct strided *block = &operation->strided;
    if (operation->kind == OPERATION_SCALE) {
        add_block(window, list, block, operation->node->scale.slice, true, at);
    } else {
        add_block(window, list, block, operation->node->copy.to, true, at);
        add_block(window, list, block, operation->node->copy.from, false, at);
    }
}

enum tcplan_status window_back_first(struct window *window, const struct operation *operation, struct tcplan_error *error) {
    if (operation->kind == OPERATION_KERNEL) return precondition_memory(window, 0, 1, error);
    struct region_list own = {0};
    struct region_list nothing = {0};
    precondition_rare_regions(window, &own, operation, 0);
    enum tcplan_status status = back_lists(window, &nothing, &own, error);
    region_list_free(&own);
    return status;
}

enum tcplan_status window_back(struct window *window, const struct region_list *list, struct tcplan_error *error) {
    struct region_list nothing = {0};
    return back_lists(window, &nothing, list, error);
}
