/** Parts of emitted programs that a contraction and an expression of several tensors share. */
#ifndef DISTRIBUTED_EMIT_H
#define DISTRIBUTED_EMIT_H

#include "base/strbuf.h"
#include "distributed/distributed.h"

enum { EMIT_MOST_SHAPES = 128 };

/** The shape of a local product: its block lengths, and whether it overwrites the previous result
 * or adds to it. */
struct shape {
    int64_t length[DIST_INDICES];
    enum tcplan_distributed_start start;
};

/** State of writing the code of one contraction. */
struct writing {
    const struct tcplan_distributed *distributed;
    struct tcplan_planner *planner;
    const char *function;
    int count;
    struct shape shape[EMIT_MOST_SHAPES];
    char *algorithm;      /* local algorithm of all shapes to which it applies */
    struct strbuf locals; /* the text of the functions for local products, which are static */
    struct strbuf links;
};

/** Allocates the state for a contraction; NULL if memory runs out. `function` prefixes the names of
 * its plan and local products, and must stay valid. */
struct writing *emit_new(const struct tcplan_distributed *distributed,
                         struct tcplan_planner *planner, const char *function);

void emit_free(struct writing *writing);

/** Plans and writes all local products of an algorithm. */
enum tcplan_status emit_write_locals(struct writing *writing, struct tcplan_error *error);

/** Appends the functions of the local products. */
void emit_add_locals(struct strbuf *out, const struct writing *writing);

/** Appends the plan `FUNCTION_plan`, and `FUNCTION_local`, which selects a local product. */
void emit_add_plan(struct strbuf *out, const struct writing *writing);

/** Appends the libraries of an algorithm that are not among `links` yet. */
void emit_merge_links(struct strbuf *links, const struct writing *writing);

/** Appends a file of the runtime. Omits its include guard and #include lines of files that the
 * program already includes. */
void emit_add_runtime(struct strbuf *out, const char *text);

/** Begins main() with a check of the number of processes. */
void emit_add_main_begin(struct strbuf *out, int processes);

/** The first lines of every program. */
extern const char emit_headers[];

/** Adds a comment line with the grid and the layout of a tensor before and after a contraction. */
void emit_add_layout(struct strbuf *out, const struct tcplan_distributed *distributed,
                     enum tcplan_operand operand);

#endif
