#include "ast/contraction/contraction.h"

#include <string.h>

#include "ast/contraction/notation.h"
#include "ast/contraction/tensor.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/indexset.h"

/** A contraction and the memory of its names. */
struct storage {
    struct tcplan_contraction contraction; /* first member, so that the public pointer can be cast
                                              to the storage */
    struct arena arena;
};

/** State shared by the steps from notation to contraction. */
struct builder {
    struct scan *scan;
    const struct notation *notation;
    struct storage *storage;
};

static bool out_of_memory(struct builder *builder) {
    builder->scan->status = error_no_memory(builder->scan->error);
    return false;
}

static bool copy_word(struct builder *builder, const char **out, struct word word) {
    *out = arena_strndup(&builder->storage->arena, word.text, word.length);
    return *out || out_of_memory(builder);
}

/** Finds the number of the index called `name`, adding a new index if needed. */
static bool find_index(struct builder *builder, struct word name, int *number) {
    struct tcplan_contraction *contraction = &builder->storage->contraction;
    for (*number = 0; *number < contraction->index_count; (*number)++) {
        if (word_equal(word_of(contraction->index[*number].name), name)) return true;
    }
    if (contraction->index_count == TCPLAN_MAX_INDICES) {
        return scan_refuse(builder->scan, name,
                           "index %s exceeds the limit of %d indices in a contraction",
                           scan_excerpt(name).text, TCPLAN_MAX_INDICES);
    }
    if (!copy_word(builder, &contraction->index[*number].name, name)) return false;
    contraction->index[*number].column = scan_column(builder->scan, name);
    contraction->index_count++;
    contraction->long_names = contraction->long_names || name.length > 1;
    return true;
}

static bool add_tensor(struct builder *builder, enum tcplan_operand operand) {
    const struct notation_tensor *from = &builder->notation->tensor[operand];
    struct tcplan_tensor *to = &builder->storage->contraction.tensor[operand];
    if (!copy_word(builder, &to->name, from->name)) return false;
    for (to->rank = 0; to->rank < from->rank; to->rank++) {
        int index;
        if (!find_index(builder, from->index[to->rank], &index)) return false;
        to->dims[to->rank] = (uint8_t)index;
        to->indices |= indexset_of(index);
    }
    to->conjugated = from->conjugated;
    tensor_sort(to, builder->storage->contraction.order);
    return true;
}

/** Returns the place in the notation of `operand` that names an index. */
static struct word place_of(const struct builder *builder, enum tcplan_operand operand, int index) {
    const struct tcplan_tensor *tensor = &builder->storage->contraction.tensor[operand];
    int d = 0;
    while (tensor->dims[d] != index) d++;
    return builder->notation->tensor[operand].index[d];
}

/** Rejects an index that occurs only in the result. */
static bool refuse_lonely(struct builder *builder, int index) {
    const struct notation_tensor *tensor = builder->notation->tensor;
    struct word place = place_of(builder, TCPLAN_C, index);
    return scan_refuse(builder->scan, place, "index %s of the result appears in neither %s nor %s",
                       scan_excerpt(place).text, scan_excerpt(tensor[TCPLAN_A].name).text,
                       scan_excerpt(tensor[TCPLAN_B].name).text);
}

static bool classify_index(struct builder *builder, int index) {
    enum { IN_A = 1, IN_B = 2, IN_C = 4 };
    struct tcplan_contraction *contraction = &builder->storage->contraction;
    int where = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        where |= indexset_has(contraction->tensor[t].indices, index) ? 1 << t : 0;
    switch (where) {
    case IN_A | IN_C: contraction->index[index].kind = TCPLAN_FREE_A; return true;
    case IN_B | IN_C: contraction->index[index].kind = TCPLAN_FREE_B; return true;
    case IN_A | IN_B: contraction->index[index].kind = TCPLAN_CONTRACTED; return true;
    case IN_A | IN_B | IN_C: contraction->index[index].kind = TCPLAN_BATCH; return true;
    case IN_A: contraction->index[index].kind = TCPLAN_SUMMED_A; return true;
    case IN_B: contraction->index[index].kind = TCPLAN_SUMMED_B; return true;
    default: return refuse_lonely(builder, index);
    }
}

static bool build(struct builder *builder) {
    static const enum tcplan_operand numbering[TCPLAN_TENSORS] = {TCPLAN_C, TCPLAN_A, TCPLAN_B,
                                                                  TCPLAN_ADDEND};
    struct tcplan_contraction *contraction = &builder->storage->contraction;
    contraction->alpha = builder->notation->alpha;
    contraction->beta = builder->notation->beta;
    for (int t = 0; t < (builder->notation->has_addend ? TCPLAN_TENSORS : TCPLAN_OPERANDS); t++) {
        if (!add_tensor(builder, numbering[t])) return false;
    }
    for (int t = TCPLAN_C; t < TCPLAN_TENSORS; t++) {
        tcplan_contraction_set_conjugated(contraction, (enum tcplan_operand)t,
                                          contraction->tensor[t].conjugated);
    }
    for (int index = 0; index < contraction->index_count; index++) {
        if (!classify_index(builder, index)) return false;
    }
    return true;
}

enum tcplan_status tcplan_contraction_parse(struct tcplan_contraction **out, const char *text,
                                            enum tcplan_order order, struct tcplan_error *error) {
    return tcplan_contraction_parse_shaped(out, text, NULL, order, error);
}

enum tcplan_status tcplan_contraction_parse_shaped(struct tcplan_contraction **out,
                                                   const char *text, struct tcplan_shapes *shapes,
                                                   enum tcplan_order order,
                                                   struct tcplan_error *error) {
    struct scan scan;
    struct notation notation = {.has_addend = false};
    if (!scan_init(&scan, text, error) || !notation_read(&notation, &scan, shapes))
        return scan.status;
    struct storage *storage = base_alloc(sizeof *storage);
    if (!storage) return error_no_memory(error);
    *storage = (struct storage){.contraction = {.order = order}};
    if (!build(&(struct builder){.scan = &scan, .notation = &notation, .storage = storage})) {
        tcplan_contraction_free(&storage->contraction);
        return scan.status;
    }
    *out = &storage->contraction;
    return TCPLAN_OK;
}

/** Replaces borrowed names by copies. */
static bool own_names(struct storage *storage) {
    struct tcplan_contraction *contraction = &storage->contraction;
    for (int i = 0; i < contraction->index_count; i++) {
        const char **name = &contraction->index[i].name;
        if (!(*name = arena_strndup(&storage->arena, *name, strlen(*name)))) return false;
    }
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const char **name = &contraction->tensor[t].name;
        if (*name && !(*name = arena_strndup(&storage->arena, *name, strlen(*name)))) return false;
    }
    return true;
}

enum tcplan_status contraction_copy(struct tcplan_contraction **out,
                                    const struct tcplan_contraction *contraction,
                                    struct tcplan_error *error) {
    struct storage *storage = base_alloc(sizeof *storage);
    if (!storage) return error_no_memory(error);
    *storage = (struct storage){.contraction = *contraction};
    if (!own_names(storage)) {
        tcplan_contraction_free(&storage->contraction);
        return error_no_memory(error);
    }
    *out = &storage->contraction;
    return TCPLAN_OK;
}

void tcplan_contraction_set_conjugated(struct tcplan_contraction *contraction,
                                       enum tcplan_operand operand, bool conjugated) {
    const bool is_factor = operand == TCPLAN_A || operand == TCPLAN_B;
    contraction->tensor[operand].conjugated =
        conjugated && (is_factor || operand == contraction_added(contraction));
}

bool tcplan_contraction_has_addend(const struct tcplan_contraction *contraction) {
    return contraction->tensor[TCPLAN_ADDEND].name != NULL;
}

enum tcplan_operand contraction_added(const struct tcplan_contraction *contraction) {
    if (scalar_is(contraction->beta, 0)) return TCPLAN_TENSORS;
    return tcplan_contraction_has_addend(contraction) ? TCPLAN_ADDEND : TCPLAN_C;
}

int contraction_tensors(const struct tcplan_contraction *contraction,
                        enum tcplan_operand tensor[TCPLAN_TENSORS]) {
    int count = 0;
    tensor[count++] = TCPLAN_A;
    tensor[count++] = TCPLAN_B;
    if (tcplan_contraction_has_addend(contraction)) tensor[count++] = TCPLAN_ADDEND;
    tensor[count++] = TCPLAN_C;
    return count;
}

void tcplan_contraction_free(struct tcplan_contraction *contraction) {
    if (!contraction) return;
    struct storage *storage = (struct storage *)contraction;
    arena_free(&storage->arena);
    base_free(storage);
}

uint64_t tcplan_contraction_indices(const struct tcplan_contraction *contraction,
                                    enum tcplan_index_kind kind) {
    uint64_t set = 0;
    for (int index = 0; index < contraction->index_count; index++) {
        if (contraction->index[index].kind == kind) set |= indexset_of(index);
    }
    return set;
}

bool contraction_is_strided(const struct tcplan_contraction *contraction) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (contraction->tensor[t].strided) return true;
    }
    return false;
}

int contraction_place(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                      int index) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    int place = 0;
    while (place < tensor->rank && tensor->nearest[place] != index) place++;
    return place;
}

bool contraction_is_unit(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                         int index) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    if (!indexset_has(tensor->indices, index) || tensor_is_diagonal(tensor, index)) return false;
    return tensor->strided ? tensor_stride(tensor, index) == 1 : tensor->nearest[0] == index;
}

int contraction_unit_index(const struct tcplan_contraction *contraction,
                           enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    for (int d = 0; d < tensor->rank; d++) {
        if (contraction_is_unit(contraction, operand, tensor->nearest[d]))
            return tensor->nearest[d];
        if (!tensor->strided) break;
    }
    return -1;
}

uint64_t contraction_summed(const struct tcplan_contraction *contraction,
                            enum tcplan_operand operand) {
    if (operand != TCPLAN_A && operand != TCPLAN_B) return 0;
    return tcplan_contraction_indices(contraction,
                                      operand == TCPLAN_A ? TCPLAN_SUMMED_A : TCPLAN_SUMMED_B);
}

uint64_t contraction_run(const struct tcplan_contraction *contraction) {
    uint64_t run = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) run |= contraction->tensor[t].indices;
    return run & ~contraction_summed(contraction, TCPLAN_A) &
           ~contraction_summed(contraction, TCPLAN_B);
}
