#include "distributed/distributed.h"

#include "base/alloc.h"

void tcplan_distributed_free(struct tcplan_distributed *distributed) {
    if (!distributed) return;
    tcplan_contraction_free(distributed->contraction);
    base_free(distributed);
}

struct tcplan_distributed_entry tcplan_distributed_entry(
    const struct tcplan_distributed *distributed) {
    return distributed->entry;
}

int tcplan_distributed_processes(const struct tcplan_distributed *distributed) {
    return distributed->processes;
}

const struct dist_plan *tcplan_distributed_plan(const struct tcplan_distributed *distributed) {
    return &distributed->plan;
}

char *tcplan_distributed_layout(const struct tcplan_distributed *distributed,
                                enum tcplan_operand operand, bool at_work) {
    const struct dist_layout *layout =
        at_work ? &distributed->plan.work[operand] : &distributed->plan.home[operand];
    struct strbuf out = {0};
    layout_add_text(&out, distributed->contraction, layout);
    strbuf_add(&out, "%s", layout->count == 0 ? "copies" : "");
    return strbuf_finish(&out);
}

int64_t tcplan_distributed_block(const struct tcplan_distributed *distributed,
                                 enum tcplan_operand operand, int rank, int64_t first[],
                                 int64_t extent[]) {
    const struct dist_plan *plan = &distributed->plan;
    const struct tcplan_tensor *tensor = &distributed->contraction->tensor[operand];
    const struct dist_box box = dist_box_of(plan, &plan->home[operand], rank);
    for (int d = 0; d < tensor->rank; d++) {
        if (first) first[d] = box.first[tensor->dims[d]];
        if (extent) extent[d] = box.length[tensor->dims[d]];
    }
    return dist_elements(&plan->tensor[operand], &box);
}

void tcplan_distributed_cycle(const struct tcplan_distributed *distributed,
                              enum tcplan_operand operand, int64_t block[], int64_t period[]) {
    const struct tcplan_tensor *tensor = &distributed->contraction->tensor[operand];
    const struct dist_box box =
        dist_box_of(&distributed->plan, &distributed->plan.home[operand], 0);
    for (int d = 0; d < tensor->rank; d++) {
        block[d] = box.cycle[tensor->dims[d]].block;
        period[d] = box.cycle[tensor->dims[d]].period;
    }
}

int tcplan_distributed_calls(struct tcplan_distributed_call call[TCPLAN_DISTRIBUTED_MOST_CALLS],
                             const struct tcplan_distributed *distributed, int rank) {
    struct traffic_call traffic[TRAFFIC_MOST_CALLS];
    const int count = traffic_of(traffic, &distributed->plan, rank);
    for (int c = 0; c < count; c++) {
        const struct traffic_call *from = &traffic[c];
        call[c] = (struct tcplan_distributed_call){
            .collective = tcplan_collective_name(from->collective),
            .tensor =
                from->tensor < 0 ? "status" : distributed->contraction->tensor[from->tensor].name,
            .ranks = from->ranks,
            .calls = from->calls,
            .sent = from->sent,
            .received = from->received,
            .moved = from->moved,
            .seconds = distributed->call_seconds[c]};
    }
    return count;
}

struct tcplan_distributed_bounds tcplan_distributed_bounds(
    const struct tcplan_distributed *distributed) {
    const struct traffic_bounds bounds = traffic_bounds_of(
        &distributed->problem, distributed->processes, (double)distributed->entry.memory_bytes);
    return (struct tcplan_distributed_bounds){.independent = bounds.independent,
                                              .dependent = bounds.dependent};
}

enum tcplan_status tcplan_distributed_product(struct tcplan_product **out,
                                              const struct tcplan_distributed *distributed,
                                              const int64_t length[],
                                              enum tcplan_distributed_start start,
                                              struct tcplan_error *error) {
    return distributed_product(out, &distributed->problem, length, start, error);
}
