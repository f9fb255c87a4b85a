#include "network/network.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { FIRST_CAPACITY = 16 };

bool network_operand_has(const struct tcplan_network_operand *operand, int index) {
    for (int d = 0; d < operand->rank; d++) {
        if (operand->dims[d] == index) return true;
    }
    return false;
}

bool network_term_has(const struct tcplan_network *network, const struct tcplan_network_term *term,
                      int index) {
    for (int o = term->first; o < term->first + term->count; o++) {
        if (network_operand_has(&network->operand[o], index)) return true;
    }
    return false;
}

/* Memory. */

static bool out_of_memory(struct network_builder *builder) {
    builder->scan->status = error_no_memory(builder->scan->error);
    return false;
}

/** Makes room for one more element of an array, and returns the element's address; NULL if memory
 * runs out. */
static void *grown(void *array, int count, int *capacity, size_t bytes) {
    if (count < *capacity) return array;
    const int more = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    void *larger = base_realloc(array, (size_t)more * bytes);
    if (larger) *capacity = more;
    return larger;
}

static bool copy_word(struct network_builder *builder, const char **out, struct word word) {
    *out = arena_strndup(&builder->storage->arena, word.text, word.length);
    return *out || out_of_memory(builder);
}

void tcplan_network_free(struct tcplan_network *network) {
    if (!network) return;
    struct network_storage *storage = (struct network_storage *)network;
    arena_free(&storage->arena);
    base_free(storage->index);
    base_free(storage->tensor);
    base_free(storage->operand);
    base_free(storage->term);
    base_free(storage->sum);
    base_free(storage);
}

const struct tcplan_network_operand *tcplan_network_target(const struct tcplan_network *network,
                                                           int term) {
    const int into = network->term[term].into;
    return into < network->sum_count ? &network->sum[into] : &network->result;
}

bool tcplan_network_begins(const struct tcplan_network *network, int term) {
    return term == 0 || network->term[term - 1].into != network->term[term].into;
}

/* Indices and tensors. */

/** Finds the number of the index called `name`, which is added if it is new. */
static bool find_index(struct network_builder *builder, struct word name, int *number) {
    struct network_storage *storage = builder->storage;
    struct tcplan_network *network = &storage->network;
    for (*number = 0; *number < network->index_count; (*number)++) {
        if (word_equal(word_of(storage->index[*number]), name)) return true;
    }
    if (network->index_count == TCPLAN_NETWORK_INDICES) {
        return scan_refuse(builder->scan, name,
                           "index %s exceeds the limit of %d indices in an expression",
                           scan_excerpt(name).text, TCPLAN_NETWORK_INDICES);
    }
    const char **larger =
        grown(storage->index, network->index_count, &storage->index_capacity, sizeof *larger);
    if (!larger) return out_of_memory(builder);
    network->index = storage->index = larger;
    if (!copy_word(builder, &storage->index[*number], name)) return false;
    network->index_count++;
    network->long_names = network->long_names || name.length > 1;
    return true;
}

/** Makes an operand of a tensor as it is written, without the number of the tensor. */
static bool make_operand(struct network_builder *builder, struct tcplan_network_operand *out,
                         const struct notation_tensor *from) {
    *out = (struct tcplan_network_operand){.tensor = -1,
                                           .conjugated = from->conjugated,
                                           .rank = from->rank,
                                           .column = scan_column(builder->scan, from->whole),
                                           .length = from->whole.length};
    uint16_t *dims = arena_alloc(&builder->storage->arena,
                                 (size_t)(from->rank > 0 ? from->rank : 1) * sizeof *dims);
    if (!dims) return out_of_memory(builder);
    if (!copy_word(builder, &out->name, from->name)) return false;
    for (int d = 0; d < from->rank; d++) {
        int index;
        if (!find_index(builder, from->index[d], &index)) return false;
        dims[d] = (uint16_t)index;
    }
    out->dims = dims;
    return true;
}

/** Refuses a left side whose name a sum or a factor has already. */
static bool check_is_new(struct network_builder *builder, const struct notation_tensor *tensor) {
    const struct network_storage *storage = builder->storage;
    for (int s = 0; s < storage->network.sum_count; s++) {
        if (word_equal(tensor->name, word_of(storage->sum[s].name)))
            return scan_refuse(builder->scan, tensor->whole,
                               "sum %s is defined already; expected another name",
                               scan_excerpt(tensor->name).text);
    }
    for (int o = 0; o < storage->network.operand_count; o++) {
        if (word_equal(tensor->name, word_of(storage->operand[o].name)))
            return scan_refuse(
                builder->scan, tensor->whole,
                "%s is read before it is computed; expected its sum before its first use",
                scan_excerpt(tensor->name).text);
    }
    return true;
}

bool network_set_result(struct network_builder *builder, const struct notation_tensor *tensor) {
    return check_is_new(builder, tensor) &&
           make_operand(builder, &builder->storage->network.result, tensor);
}

bool network_end_sum(struct network_builder *builder) {
    struct network_storage *storage = builder->storage;
    struct tcplan_network *network = &storage->network;
    struct tcplan_network_operand *larger =
        grown(storage->sum, network->sum_count, &storage->sum_capacity, sizeof *larger);
    if (!larger) return out_of_memory(builder);
    network->sum = storage->sum = larger;
    storage->sum[network->sum_count++] = network->result;
    return true;
}

bool network_is_result(struct network_builder *builder, const struct notation_tensor *tensor,
                       bool *is) {
    const struct tcplan_network *network = &builder->storage->network;
    const struct tcplan_network_operand *result = &network->result;
    *is = word_equal(tensor->name, word_of(result->name));
    bool same = tensor->rank == result->rank;
    for (int d = 0; same && d < result->rank; d++)
        same = word_equal(tensor->index[d], word_of(network->index[result->dims[d]]));
    return !*is || same ||
           scan_refuse(builder->scan, tensor->whole,
                       "expected the result %s with the same indices in the same order, found %s",
                       scan_excerpt(tensor->name).text, scan_excerpt(tensor->whole).text);
}

bool network_add_term(struct network_builder *builder, struct tcplan_scalar factor) {
    struct network_storage *storage = builder->storage;
    struct tcplan_network *network = &storage->network;
    struct tcplan_network_term *larger =
        grown(storage->term, network->term_count, &storage->term_capacity, sizeof *larger);
    if (!larger) return out_of_memory(builder);
    network->term = storage->term = larger;
    storage->term[network->term_count++] = (struct tcplan_network_term){
        .factor = factor, .first = network->operand_count, .into = network->sum_count};
    return true;
}

/** Finds the number of an operand's tensor or sum. Returns false, with an error, if the name has
 * another rank elsewhere. */
static bool number_tensor(struct network_builder *builder, struct tcplan_network_operand *operand,
                          struct word place) {
    struct network_storage *storage = builder->storage;
    struct tcplan_network *network = &storage->network;
    int t = 0;
    for (int s = 0; s < network->sum_count; s++) {
        if (strcmp(storage->sum[s].name, operand->name) != 0) continue;
        operand->tensor = TCPLAN_NETWORK_SUMS + s;
        return storage->sum[s].rank == operand->rank ||
               scan_refuse(builder->scan, place,
                           "sum '%.40s' is defined with rank %d, but used with rank %d",
                           operand->name, storage->sum[s].rank, operand->rank);
    }
    while (t < network->tensor_count &&
           strcmp(storage->operand[storage->tensor[t]].name, operand->name) != 0)
        t++;
    operand->tensor = t;
    if (t < network->tensor_count) {
        const int rank = storage->operand[storage->tensor[t]].rank;
        return rank == operand->rank ||
               scan_refuse(builder->scan, place,
                           "tensor '%.40s' has rank %d here and rank %d before", operand->name,
                           operand->rank, rank);
    }
    int *larger =
        grown(storage->tensor, network->tensor_count, &storage->tensor_capacity, sizeof *larger);
    if (!larger) return out_of_memory(builder);
    network->tensor = storage->tensor = larger;
    storage->tensor[network->tensor_count++] = network->operand_count;
    return true;
}

bool network_add_operand(struct network_builder *builder, const struct notation_tensor *tensor) {
    struct network_storage *storage = builder->storage;
    struct tcplan_network *network = &storage->network;
    if (network->operand_count == TCPLAN_NETWORK_OPERANDS) {
        return scan_refuse(builder->scan, tensor->whole,
                           "tensor %s exceeds the limit of %d tensors in an expression",
                           scan_excerpt(tensor->name).text, TCPLAN_NETWORK_OPERANDS);
    }
    struct tcplan_network_operand *larger =
        grown(storage->operand, network->operand_count, &storage->operand_capacity, sizeof *larger);
    if (!larger) return out_of_memory(builder);
    network->operand = storage->operand = larger;
    struct tcplan_network_operand *operand = &storage->operand[network->operand_count];
    if (!make_operand(builder, operand, tensor) || !number_tensor(builder, operand, tensor->whole))
        return false;
    network->operand_count++;
    storage->term[network->term_count - 1].count++;
    return true;
}

bool network_number_like(struct tcplan_network *network, const struct tcplan_network *like) {
    struct network_storage *storage = (struct network_storage *)network;
    int *number = base_alloc(((size_t)network->tensor_count + 1) * sizeof *number);
    if (!number) return false;
    for (int t = 0; t < network->tensor_count; t++) {
        number[t] = 0;
        while (strcmp(like->operand[like->tensor[number[t]]].name,
                      network->operand[network->tensor[t]].name) != 0)
            number[t]++;
    }
    for (int o = network->operand_count - 1; o >= 0; o--) {
        struct tcplan_network_operand *operand = &storage->operand[o];
        if (operand->tensor < TCPLAN_NETWORK_SUMS) operand->tensor = number[operand->tensor];
        if (operand->tensor < TCPLAN_NETWORK_SUMS) storage->tensor[operand->tensor] = o;
    }
    base_free(number);
    return true;
}

/* Reading. */

/** Makes an empty network for the parser to fill; returns false if the text cannot be scanned or
 * memory runs out. */
static bool begin(struct network_builder *builder, struct scan *scan, const char *text,
                  enum tcplan_order order, struct tcplan_error *error) {
    *builder = (struct network_builder){.scan = scan};
    if (!scan_init(scan, text, error)) return false;
    builder->storage = base_alloc_zero(1, sizeof *builder->storage);
    if (!builder->storage) return out_of_memory(builder);
    builder->storage->network.order = order;
    return true;
}

enum tcplan_status tcplan_network_parse(struct tcplan_network **out, const char *text,
                                        enum tcplan_order order, struct tcplan_error *error) {
    struct scan scan;
    struct network_builder builder;
    if (begin(&builder, &scan, text, order, error) && network_read(&builder)) {
        *out = &builder.storage->network;
        return TCPLAN_OK;
    }
    if (builder.storage) tcplan_network_free(&builder.storage->network);
    return scan.status;
}

/** The remaining factors of a term that the parser rejected, from the rejected word on. */
struct refused {
    int factors;   /* number of factors: the rejected word, if it is a tensor, and a tensor after it
                    */
    bool is_begun; /* whether earlier factors of the term were read */
};

static struct refused refused_of(const struct tcplan_network *network, const char *text,
                                 const struct tcplan_error *error) {
    if (error->column == 0 || !scan_is_letter(text[error->column - 1]))
        return (struct refused){.factors = 0};
    const char *word = text + error->column - 1, *before = word,
               *after = word + error->length + strspn(word + error->length, " \t");
    const int operands = network->operand_count;
    const struct tcplan_network_operand *last =
        operands > 0 ? &network->operand[operands - 1] : NULL;
    const char *end = last ? text + last->column - 1 + last->length : text;
    const bool is_begun = last && end <= word && strcspn(end, "+-") >= (size_t)(word - end);
    while (before > text && strchr(" \t", before[-1])) before--;
    if (is_begun && before[-1] != '*') return (struct refused){.factors = 0};
    return (struct refused){.factors = *after == '*' ? 2 : 1, .is_begun = is_begun};
}

enum tcplan_status tcplan_network_is_several(bool *out, const char *text) {
    struct scan scan;
    struct network_builder builder;
    struct tcplan_error error = {0};
    bool several = false;
    if (begin(&builder, &scan, text, TCPLAN_COLUMN_MAJOR, &error)) {
        const bool is_read = network_read_text(&builder);
        const struct tcplan_network *network = &builder.storage->network;
        const struct refused refused =
            is_read ? (struct refused){.factors = 0} : refused_of(network, text, &error);
        const int begun = network->term_count;
        const bool is_another = refused.factors > 0 && !refused.is_begun &&
                                (begun == 0 || network->term[begun - 1].count > 0);
        const int terms = begun + is_another;
        const int operands = network->operand_count + refused.factors;
        int products = 0;
        for (int t = 0; t < terms; t++) {
            const int count =
                (t < begun ? network->term[t].count : 0) + (t + 1 == terms ? refused.factors : 0);
            products += count == 2;
            several = several || count > 2;
        }
        several = several || network->sum_count > 0 ||
                  (operands > 2 && !(terms == 2 && products == 1)) ||
                  (products == 0 && (is_read || operands > 0));
    }
    if (builder.storage) tcplan_network_free(&builder.storage->network);
    *out = several;
    return scan.status == TCPLAN_NO_MEMORY ? TCPLAN_NO_MEMORY : TCPLAN_OK;
}
