#include "microbench/predict/cutoff.h"

#include <assert.h>
#include <math.h>

#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"

/* Shortest batch in nanoseconds. In shorter ones, the clock's own time matters; with several
 * threads, the first runs after a pause take up to three times as long as later ones. */
#define BATCH_NS 30e3
#define THREADS_BATCH_NS 2e6

/* Nanoseconds; shorter runs are timed at all placements of their tensors. */
#define MOVED_NS 20e3

/* Nanoseconds between two references. References then take 1 % of the time or, if the core has
 * to settle, at most REFERENCE_SHARE. */
#define PIECE_NS 2e6
#define REFERENCE_SHARE 0.05

/* Share of a run's calls after which a sample may end; share of its time in disturbed pieces from
 * which it counts as disturbed. */
#define LEAST_PART 0.25
#define DISTURBED_PART 0.1

/* From this many nanoseconds on, the time to wake other threads (a tenth of a millisecond or
 * more) is negligible. */
#define NOTICES_WAKING_NS 5e6

/* A run counts as steady if it takes at least STEADY_SHARE of the time of the run before.
 * FEWEST_RUNS: minimum number of runs of a warm-up. */
#define STEADY_SHARE 0.96
enum { FEWEST_RUNS = 3 };

static bool is_alone(const struct tcplan_program *program) {
    return !program->shared && blas_threads() == 1;
}

/** Executes `times` runs without a time limit: for several threads, which cannot be interrupted,
 * and for products without a multiplication. */
static struct cutoff_run execute_whole(struct tcplan_program *program, struct buffers *buffers,
                                       int64_t times) {
    const struct clock_start start = clock_start();
    program_repeat(program, buffers, times);
    const struct timing timing = clock_stop(&start, is_alone(program));
    return (struct cutoff_run){
        .ns = timing.ns / (double)times, .finished = true, .disturbed = timing.disturbed};
}

struct cutoff_run cutoff_execute(struct tcplan_program *program, struct buffers *buffers,
                                 double limit_ns) {
    if (program->shared || program->only_scales) return execute_whole(program, buffers, 1);
    const int64_t piece = program->calls / CUTOFF_PIECES + 1;
    struct cursor cursor = {0};
    struct timing timing = {0};
    bool finished = true;
    const struct clock_start start = clock_start();
    for (int64_t left = program->calls; left > 0 && finished; left -= piece) {
        program_run_calls(program, &cursor, left < piece ? left : piece, program_base(buffers));
        timing = clock_stop(&start, is_alone(program));
        finished = left <= piece || timing.ns <= limit_ns;
    }
    return (struct cutoff_run){
        .ns = timing.ns, .finished = finished, .disturbed = timing.disturbed};
}

bool cutoff_is_warm(int runs, double run_ns, double before_ns, double spent_ns, double least_ns) {
    const bool is_steady = runs >= FEWEST_RUNS && run_ns >= STEADY_SHARE * before_ns;
    return spent_ns >= least_ns && (is_steady || spent_ns >= CUTOFF_MOST_WARM_UP_NS);
}

struct cutoff_run cutoff_warm_up(struct tcplan_program *program, struct buffers *buffers,
                                 double limit_ns, double least_ns) {
    buffers_settle_all(buffers);
    buffers_settle_temporaries(buffers);
    const uint64_t start_ns = clock_now_ns();
    struct cutoff_run run = {.ns = INFINITY};
    double before_ns, spent_ns;
    int runs = 0;
    do {
        before_ns = run.ns;
        run = cutoff_execute(program, buffers, limit_ns);
        runs++;
        spent_ns = (double)(clock_now_ns() - start_ns);
    } while (run.finished && !cutoff_is_warm(runs, run.ns, before_ns, spent_ns, least_ns));
    if (run.finished)
        run.ns = fmin(run.ns, before_ns); /* other load may have delayed the last run */
    return run;
}

struct cutoff_run cutoff_repeat(struct tcplan_program *program, struct buffers *buffers,
                                double once_ns) {
    const double wanted =
        (is_alone(program) ? BATCH_NS : THREADS_BATCH_NS) / (once_ns > 1 ? once_ns : 1);
    const double least = buffers->moves && once_ns < MOVED_NS ? BUFFERS_PLACEMENTS : 1;
    return execute_whole(program, buffers, (int64_t)fmax(wanted, least));
}

static struct drift_sample sample_whole(struct tcplan_program *program, struct buffers *buffers,
                                        double once_ns, struct reference *reference) {
    const double before = reference_seconds(reference);
    if (!is_alone(program) && once_ns < NOTICES_WAKING_NS)
        execute_whole(program, buffers,
                      1); /* wakes threads that fell asleep during the references */
    const struct cutoff_run run = cutoff_repeat(program, buffers, once_ns);
    return (struct drift_sample){.seconds = run.ns * 1e-9,
                                 .reference_seconds = sqrt(before * reference_seconds(reference)),
                                 .disturbed = run.disturbed};
}

/** Returns the seconds of a whole run, if all calls take as long as those after the first piece,
 * which may contain copies of whole tensors. */
static double extrapolated(double seconds, double first_seconds, double done_pieces,
                           double all_pieces) {
    return done_pieces > 1
               ? first_seconds + (seconds - first_seconds) / (done_pieces - 1) * (all_pieces - 1)
               : 0;
}

/** Executes a program in pieces with references between them. The sample's reference is the
 * constant reference time for which the program would take as long. */
static struct drift_sample sample_pieces(struct tcplan_program *program, struct buffers *buffers,
                                         int64_t piece, double most_seconds,
                                         struct reference *reference) {
    const double all_pieces = (double)program->calls / (double)piece;
    const bool may_end = isfinite(most_seconds) && program->kernel->partial_mask == 0;
    struct drift_sample sample = {0};
    struct cursor cursor = {0};
    double work = 0, whole_seconds = 0, first_seconds = 0, disturbed_seconds = 0, done = 0;
    double before = reference_seconds(reference);
    for (int64_t left = program->calls; left > 0 && !(whole_seconds > 0); left -= piece) {
        const int64_t calls = left < piece ? left : piece;
        const struct clock_start start = clock_start();
        program_run_calls(program, &cursor, calls, program_base(buffers));
        const struct timing timing = clock_stop(&start, is_alone(program));
        const bool is_last = left <= piece;
        const double after =
            is_last ? reference_seconds(reference)
                    : reference_seconds_within(reference, REFERENCE_SHARE * 1e-9 * timing.ns);
        const double mean = sqrt(before * after);
        sample.seconds += timing.ns * 1e-9;
        if (timing.disturbed) disturbed_seconds += timing.ns * 1e-9;
        if (reference) work += timing.ns * 1e-9 / mean;
        before = after;
        if (done++ == 0) first_seconds = sample.seconds;
        const double expected_seconds =
            extrapolated(sample.seconds, first_seconds, done, all_pieces);
        if (may_end && !is_last && done >= LEAST_PART * all_pieces &&
            expected_seconds > most_seconds)
            whole_seconds = expected_seconds;
    }
    sample.disturbed = disturbed_seconds > DISTURBED_PART * sample.seconds;
    sample.reference_seconds = work > 0 ? sample.seconds / work : 0;
    if (whole_seconds > 0) sample.seconds = whole_seconds;
    return sample;
}

struct drift_sample cutoff_sample(struct tcplan_program *program, struct buffers *buffers,
                                  double once_ns, double most_seconds,
                                  struct reference *reference) {
    buffers_settle_all(buffers);
    const double pieces = floor(once_ns / PIECE_NS);
    if (program->shared || program->only_scales || program->calls < 2 || pieces < 2)
        return sample_whole(program, buffers, once_ns, reference);
    const int64_t piece = (int64_t)((double)program->calls / pieces);
    assert(piece <= program->calls);
    return sample_pieces(program, buffers, piece > 1 ? piece : 1, most_seconds, reference);
}
