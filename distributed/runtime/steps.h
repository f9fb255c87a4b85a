/**
 * Executes an expression of several tensors as distributed contractions, one after the other.
 *
 * The library for MPI and emitted programs share this file. Each rank holds its block of every
 * intermediate from the first execution to the end, in the layout that the step which computes it
 * leaves. The ranks agree on a common status before the first step, and in each step as
 * dist_execute() does.
 */
#ifndef DISTRIBUTED_RUNTIME_STEPS_H
#define DISTRIBUTED_RUNTIME_STEPS_H

#include "distributed/runtime/execute.h"

/** A step: a contraction, and the tensors that are its operands. */
struct dist_step {
    const struct dist_plan *plan;
    dist_local *local;
    int operand[2]; /**< numbers of the operands: input tensors are numbered from 0, the results of
                       steps follow */
};

/** The steps of an expression, in the order of their execution. The last one computes the result.
 */
struct dist_steps {
    int inputs, count;
    const struct dist_step *step;
};

/** The runs of all steps, and this rank's blocks of the intermediates. */
struct dist_steps_run {
    const struct dist_steps *steps;
    MPI_Comm world;
    struct dist_run *run; /**< runs, one for each step */
    void **block;         /**< this rank's block of the result of each step but the last */
    bool is_ready;        /**< whether all ranks have their blocks */
};

/** Frees the runs and the blocks; `exits`: also the communicators. */
static void dist_steps_free(struct dist_steps_run *run, bool exits) {
    for (int s = 0; run->run && s < run->steps->count; s++) {
        if (exits && run->run[s].plan) dist_end(&run->run[s]);
        if (!exits) dist_run_free(&run->run[s], false);
    }
    for (int s = 0; run->block && s < run->steps->count; s++) free(run->block[s]);
    free(run->run);
    free(run->block);
    run->run = NULL;
    run->block = NULL;
}

/** Allocates what dist_steps_begin() fills; returns 0, or ENOMEM on this rank. */
static int dist_steps_allocate(struct dist_steps_run *run, const struct dist_steps *steps) {
    run->steps = steps;
    run->run = calloc((size_t)steps->count, sizeof *run->run);
    run->block = calloc((size_t)steps->count, sizeof *run->block);
    return run->run && run->block ? 0 : ENOMEM;
}

/** Makes the communicators of all steps. All ranks must call it; on all of them the allocation has
 * succeeded. The caller has set `limit` and `context` of the runs if they need any. */
static void dist_steps_begin(struct dist_steps_run *run, MPI_Comm world) {
    run->world = world;
    for (int s = 0; s < run->steps->count; s++) {
        run->run[s].local = run->steps->step[s].local;
        dist_begin(&run->run[s], run->steps->step[s].plan, world);
    }
}

/** Allocates this rank's blocks of the intermediates. */
static int dist_steps_blocks(struct dist_steps_run *run) {
    int status = 0;
    for (int s = 0; s < run->steps->count - 1; s++) {
        const struct dist_plan *plan = run->steps->step[s].plan;
        if (!run->block[s])
            run->block[s] = dist_allocate(
                plan, dist_held(plan, DIST_C, &plan->home[DIST_C], run->run[s].rank), &status);
    }
    return status;
}

/**
 * Computes the expression from the blocks of this rank. `tensor` has the block of each input
 * tensor. Returns the same status on all ranks: 0, ENOMEM or the status of a local product. The
 * result is unchanged unless the last step fails as dist_execute() describes.
 */
static inline int dist_steps_execute(struct dist_steps_run *run, const void *const tensor[],
                                     void *result) {
    const struct dist_steps *steps = run->steps;
    int status = dist_agree(&run->run[0], run->is_ready ? 0 : dist_steps_blocks(run));
    run->is_ready = status == 0;
    for (int s = 0; s < steps->count && status == 0; s++) {
        const void *operand[2];
        for (int o = 0; o < 2; o++) {
            const int number = steps->step[s].operand[o];
            operand[o] =
                number < steps->inputs ? tensor[number] : run->block[number - steps->inputs];
        }
        status = dist_execute(&run->run[s], operand[DIST_A], operand[DIST_B],
                              s == steps->count - 1 ? result : run->block[s]);
    }
    return status;
}

/** MPI calls this function when it frees a communicator; its run is freed too. MPI frees its own
 * communicators at the end of the program. */
static inline int dist_steps_forget(MPI_Comm comm, int key, void *run, void *context) {
    (void)key;
    (void)context;
    dist_steps_free((struct dist_steps_run *)run, comm != MPI_COMM_WORLD);
    free(run);
    return MPI_SUCCESS;
}

/** Returns the run of an expression on a communicator, as dist_run_of() does for a contraction. */
static inline struct dist_steps_run *dist_steps_of(int *key, const struct dist_steps *steps,
                                                   MPI_Comm comm) {
    struct dist_steps_run *run = NULL;
    int found = 0, ready;
    if (*key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, dist_steps_forget, key, NULL);
    MPI_Comm_get_attr(comm, *key, &run, &found);
    if (found) return run;
    run = calloc(1, sizeof *run);
    ready = run && dist_steps_allocate(run, steps) == 0;
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm);
    if (!ready) {
        if (run) dist_steps_free(run, false);
        free(run);
        return NULL;
    }
    dist_steps_begin(run, comm);
    MPI_Comm_set_attr(comm, *key, run);
    return run;
}

#endif
