#include "microbench/predict/scaling.h"

#include "microbench/program/program.h"
#include "microbench/timing/clock.h"

/* Length of the shortest batch in nanoseconds; in shorter ones the clock's own time matters. */
#define BATCH_NS 30e3

enum { MAX_BATCH = 1 << 20 };

/** Backs the part of the result that is written, or the part of the addend that is read. */
static void back(struct buffers *buffers, const struct strided *block, enum tcplan_operand operand,
                 size_t element_bytes) {
    const bool written = operand == TCPLAN_C;
    const ptrdiff_t first_bytes = written ? block->to_first_bytes : block->from_first_bytes;
    struct region region = {.operand = operand,
                            .offset_bytes =
                                (int64_t)buffers->tensor[operand].first_bytes + first_bytes,
                            .element_bytes = (int64_t)element_bytes};
    strided_dimensions(&region, block, written ? block->to_bytes : block->from_bytes);
    region_sort(&region);
    buffers_back(buffers, &region);
}

static double time_batch(struct tcplan_program *program, const struct buffers *buffers,
                         int64_t count) {
    const struct tensor_pointers base = program_base(buffers);
    const uint64_t start_ns = clock_now_ns();
    for (int64_t i = 0; i < count; i++) program_run_whole(program, base);
    return clock_since_ns(start_ns);
}

void scaling_time(double sample_ns[], int count, const struct tcplan_problem *problem,
                  struct buffers *buffers) {
    struct tcplan_program program = {
        .problem.written = *problem, .only_scales = true, .scaling = strided_start_result(problem)};
    double scale = 1;
    if (problem->elems[TCPLAN_C] > 0) {
        scale = strided_reduce(&program.scaling, (int64_t)buffers->page_bytes,
                               (double)buffers->limit_bytes);
        back(buffers, &program.scaling, TCPLAN_C, problem->element_bytes);
        if (!program.scaling.scales)
            back(buffers, &program.scaling, TCPLAN_ADDEND, problem->element_bytes);
    }
    int64_t batch = 1;
    while (time_batch(&program, buffers, batch) < BATCH_NS && batch < MAX_BATCH) batch *= 2;
    for (int s = 0; s < count; s++)
        sample_ns[s] = scale * time_batch(&program, buffers, batch) / (double)batch;
}
