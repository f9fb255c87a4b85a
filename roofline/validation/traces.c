#include "roofline/validation/traces.h"

#include "base/alloc.h"

enum { LINE_BYTES = 64, ELEMS_OF_LINE = LINE_BYTES / (int)sizeof(double), PAGE_BYTES = 4096 };

/* Traces: the cache lines of each operand, in the order in which a library accesses them. */

struct traced {
    struct simulator *simulator;
    uint64_t first, second, result; /* addresses of the operands */
    int64_t n;
};

static void touch(struct simulator *simulator, uint64_t address, int64_t elems, bool read,
                  bool write) {
    const uint64_t last = address + (uint64_t)elems * sizeof(double) - 1;
    for (uint64_t line = address / LINE_BYTES * LINE_BYTES; elems > 0 && line <= last;
         line += LINE_BYTES) {
        if (read) simulator_access(simulator, line, false);
        if (write) simulator_access(simulator, line, true);
    }
}

static uint64_t element(uint64_t matrix, int64_t n, int64_t row, int64_t column) {
    return matrix + (uint64_t)(row + column * n) * sizeof(double);
}

static void trace_axpy(const struct traced *at) {
    for (int64_t i = 0; i < at->n; i += ELEMS_OF_LINE) {
        const int64_t elems = at->n - i < ELEMS_OF_LINE ? at->n - i : ELEMS_OF_LINE;
        touch(at->simulator, at->first + (uint64_t)i * sizeof(double), elems, true, false);
        touch(at->simulator, at->result + (uint64_t)i * sizeof(double), elems, true, true);
    }
}

static void trace_gemv(const struct traced *at) {
    for (int64_t j = 0; j < at->n; j++) {
        touch(at->simulator, at->second + (uint64_t)j * sizeof(double), 1, true, false);
        touch(at->simulator, element(at->first, at->n, 0, j), at->n, true, false);
        touch(at->simulator, at->result, at->n, true, true);
    }
}

/** Goto's loops with packed blocks, as in OpenBLAS and BLIS: blocks of 256 in k and of 128 rows.
 * The packed blocks are at addresses above all replicas. */
static void trace_gemm(const struct traced *at) {
    enum { DEPTH = 256, ROWS = 128 };
    const uint64_t packed_second = (uint64_t)1 << 44, packed_first = (uint64_t)1 << 45;
    const int64_t n = at->n;
    for (int64_t k = 0; k < n; k += DEPTH) {
        const int64_t depth = n - k < DEPTH ? n - k : DEPTH;
        for (int64_t j = 0; j < n; j++)
            touch(at->simulator, element(at->second, n, k, j), depth, true, false);
        touch(at->simulator, packed_second, depth * n, false, true);
        for (int64_t i = 0; i < n; i += ROWS) {
            const int64_t rows = n - i < ROWS ? n - i : ROWS;
            for (int64_t l = 0; l < depth; l++)
                touch(at->simulator, element(at->first, n, i, k + l), rows, true, false);
            touch(at->simulator, packed_first, depth * rows, false, true);
            touch(at->simulator, packed_second, depth * n, true, false);
            for (int64_t j = 0; j < n; j++)
                touch(at->simulator, element(at->result, n, i, j), rows, true, true);
        }
    }
}

bool validation_has_trace(enum tcplan_point_kernel kernel) {
    return kernel != TCPLAN_POINT_FFT;
}

void validation_trace(void *context, int64_t runs) {
    static void (*const trace[])(const struct traced *) = {trace_axpy, trace_gemv, trace_gemm};
    struct validation_run *run = context;
    for (int64_t r = 0; r < runs; r++) {
        const uint64_t base =
            (uint64_t)(subject_next_memory(&run->subject) - run->subject.memory) + PAGE_BYTES;
        const size_t matrix =
            sizeof(double) * (size_t)(run->kernel == TCPLAN_POINT_DAXPY ? run->n : run->n * run->n);
        const size_t second = run->kernel == TCPLAN_POINT_DAXPY   ? 0
                              : run->kernel == TCPLAN_POINT_DGEMV ? sizeof(double) * (size_t)run->n
                                                                  : matrix;
        const uint64_t first_bytes = (matrix + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
        const uint64_t second_bytes = (second + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
        const struct traced at = {.simulator = run->simulator,
                                  .first = base,
                                  .second = base + first_bytes,
                                  .result = base + first_bytes + second_bytes,
                                  .n = run->n};
        trace[run->kernel](&at);
    }
}

void validation_trace_empty(void *context, int64_t runs) {
    (void)context;
    (void)runs;
}

/* Source of counts. */

struct simulated {
    struct simulator *simulator;
    int level;
};

static enum tcplan_status nothing(struct counter_source *source, struct tcplan_error *error) {
    (void)source;
    (void)error;
    return TCPLAN_OK;
}

static enum tcplan_status read_simulated(struct counter_source *source, struct counter_reading *out,
                                         struct tcplan_error *error) {
    const struct simulated *simulated = source->state;
    const struct simulator_counts counts = simulator_counts(simulated->simulator, simulated->level);
    out[0] = (struct counter_reading){.value = (uint64_t)counts.misses};
    out[1] = (struct counter_reading){.value = (uint64_t)counts.write_backs};
    return nothing(source, error);
}

static void close_simulated(struct counter_source *source) {
    base_free(source->state);
}

static const struct counter_source_class class = {.name = "simulated",
                                                  .start = nothing,
                                                  .read = read_simulated,
                                                  .stop = nothing,
                                                  .close = close_simulated};

struct counter_source *validation_simulated_counts(struct simulator *simulator, int level,
                                                   int64_t line_bytes) {
    struct counter_source *out = counter_none("a trace contains accesses, but no operations");
    struct simulated *simulated = base_alloc(sizeof *simulated);
    if (!out || !simulated) {
        counter_close(out);
        base_free(simulated);
        return NULL;
    }
    *simulated = (struct simulated){.simulator = simulator, .level = level};
    out->class = &class;
    out->state = simulated;
    out->count = 2;
    out->event[0] = (struct counter_event){
        .name = "misses of the last cache", .quantity = COUNTER_READ, .weight = (double)line_bytes};
    out->event[1] = (struct counter_event){
        .name = "its write-backs", .quantity = COUNTER_WRITTEN, .weight = (double)line_bytes};
    *out->why_not[COUNTER_READ] = *out->why_not[COUNTER_WRITTEN] = '\0';
    return out;
}
