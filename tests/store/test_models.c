/*
 * Tests models and samples in the store, and models as XML. Written data can be read again. Damage
 * is reported, and affects no other models.
 */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/strbuf.h"
#include "store/entry.h"
#include "store/kind_models.h"
#include "store/store.h"
#include "support/a_model.h"
#include "support/memory_source.h"
#include "support/root_folder.h"
#include "tcplan/models_file.h"
#include "tcplan/store.h"

static char folder[sizeof root + 16];

static int take_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "%s/store", root);
    run("rm -rf %s/store");
    return 0;
}

static struct tcplan_store here(void) {
    struct tcplan_store store = {.folder = folder, .now = 1700000000};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES], TCPLAN_MACHINE_TEXT,
             "OpenBLAS 0.3 (Core)");
    return store;
}

static void expect_same_config(const struct tcplan_model_config *a,
                               const struct tcplan_model_config *b) {
    assert_int_equal(a->overfitting, b->overfitting);
    assert_int_equal(a->oversampling, b->oversampling);
    assert_int_equal(a->grid, b->grid);
    assert_int_equal(a->repetitions, b->repetitions);
    assert_int_equal(a->reference, b->reference);
    assert_int_equal(a->measure, b->measure);
    assert_true(a->bound == b->bound);
    assert_int_equal(a->min_width, b->min_width);
    assert_int_equal(a->multiple, b->multiple);
    assert_int_equal(a->most_pieces, b->most_pieces);
}

static void expect_same_check(const struct tcplan_model_check *a,
                              const struct tcplan_model_check *b) {
    assert_int_equal(a->points, b->points);
    assert_true(a->mean == b->mean && a->median == b->median && a->p90 == b->p90 &&
                a->maximum == b->maximum);
    assert_int_equal(a->made, b->made);
}

static void expect_same(const struct tcplan_model *a, const struct tcplan_model *b) {
    assert_string_equal(a->case_text, b->case_text);
    assert_string_equal(a->setup.version, b->setup.version);
    assert_string_equal(a->setup.binding, b->setup.binding);
    assert_memory_equal(&a->domain, &b->domain, sizeof a->domain);
    assert_memory_equal(a->degree, b->degree, sizeof a->degree);
    expect_same_config(&a->config, &b->config);
    expect_same_check(&a->check, &b->check);
    assert_int_equal(a->made, b->made);
    assert_int_equal(a->points, b->points);
    assert_int_equal(a->complete, b->complete);
    assert_true(a->seconds == b->seconds);
    assert_int_equal(a->piece_count, b->piece_count);
    for (int i = 0; i < a->domain.count; i++) assert_string_equal(a->size_name[i], b->size_name[i]);
    for (size_t p = 0; p < a->piece_count; p++) {
        const struct tcplan_model_piece *x = &a->piece[p], *y = &b->piece[p];
        const size_t count = (size_t)tcplan_model_coefficients(x->degree, a->domain.count);
        assert_memory_equal(&x->domain, &y->domain, sizeof x->domain);
        assert_memory_equal(x->degree, y->degree, sizeof x->degree);
        assert_int_equal(x->points, y->points);
        assert_true(x->error == y->error);
        assert_memory_equal(x->coefficient, y->coefficient, count * sizeof *x->coefficient);
    }
}

static void keep(const struct tcplan_store *store, const struct tcplan_model *model) {
    assert_int_equal(tcplan_store_keep_models(store, &model, 1, NULL), TCPLAN_OK);
}

static struct tcplan_models *stored(const struct tcplan_store *store, enum tcplan_status expected) {
    struct tcplan_models *models;
    assert_int_equal(tcplan_store_models(&models, store, NULL), expected);
    return models;
}

/* The store. */

static void stored_models_are_found_unchanged(void **state) {
    static const double numbers[TCPLAN_MODEL_STATISTICS] = {-0.0, 5e-324, 1e300, -0.1, 1e-300};
    const struct tcplan_store store = here();
    struct tcplan_model *model[12];
    (void)state;
    for (int m = 0; m < 12; m++) {
        char text[40];
        snprintf(text, sizeof text, "%s c=%d", m % 2 ? "dgemm" : "dtrsm", m);
        model[m] = a_model(text, 1 + m % 4, 1 + (size_t)m, (uint64_t)m);
        if (m == 5) model[m]->setup.placement = TCPLAN_MODEL_COLD;
        memcpy(model[m]->piece[0].coefficient[0], numbers, sizeof numbers);
        keep(&store, model[m]);
    }
    struct tcplan_models *found = stored(&store, TCPLAN_OK);
    assert_int_equal(tcplan_models_count(found), 12);
    for (int m = 0; m < 12; m++) {
        const struct tcplan_model *same =
            tcplan_models_find(found, model[m]->case_text, &model[m]->setup, NULL);
        assert_non_null(same);
        expect_same(model[m], same);
        tcplan_model_free(model[m]);
    }
    tcplan_models_free(found);
}

static void models_of_other_bindings_are_other_models(void **state) {
    const struct tcplan_store store = here();
    struct tcplan_model *unbound = a_model("dgemm c=1", 3, 4, 1),
                        *bound = a_model("dgemm c=1", 3, 7, 2);
    (void)state;
    snprintf(bound->setup.binding, sizeof bound->setup.binding, "cores=close memory=0");
    keep(&store, unbound);
    keep(&store, bound);
    struct tcplan_models *found = stored(&store, TCPLAN_OK);
    assert_int_equal(tcplan_models_count(found), 2);
    expect_same(tcplan_models_find(found, "dgemm c=1", &unbound->setup, NULL), unbound);
    expect_same(tcplan_models_find(found, "dgemm c=1", &bound->setup, NULL), bound);
    snprintf(bound->setup.binding, sizeof bound->setup.binding, "cores=spread");
    assert_null(tcplan_models_find(found, "dgemm c=1", &bound->setup, NULL));
    tcplan_models_free(found);
    tcplan_model_free(unbound);
    tcplan_model_free(bound);
}

static void a_model_takes_the_place_of_one_before(void **state) {
    const struct tcplan_store store = here();
    struct tcplan_model *first = a_model("dgemm c=1", 3, 4, 1),
                        *second = a_model("dgemm c=1", 3, 7, 2),
                        *other = a_model("dgemm c=2", 3, 2, 3);
    (void)state;
    keep(&store, first);
    keep(&store, other);
    keep(&store, second);
    struct tcplan_models *found = stored(&store, TCPLAN_OK);
    assert_int_equal(tcplan_models_count(found), 2);
    expect_same(tcplan_models_find(found, "dgemm c=1", &first->setup, NULL), second);
    expect_same(tcplan_models_find(found, "dgemm c=2", &first->setup, NULL), other);
    tcplan_models_free(found);
    tcplan_model_free(first);
    tcplan_model_free(second);
    tcplan_model_free(other);
}

static void models_of_another_machine_or_library_are_not_found(void **state) {
    const struct tcplan_store store = here();
    struct tcplan_store machine = here(), library = here(), other = here();
    struct tcplan_model *model = a_model("dgemm", 3, 4, 1);
    (void)state;
    keep(&store, model);
    snprintf(machine.fingerprint.part[TCPLAN_FINGERPRINT_CPU], TCPLAN_MACHINE_TEXT, "another");
    snprintf(library.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES], TCPLAN_MACHINE_TEXT,
             "OpenBLAS 0.4");
    snprintf(other.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES + 1], TCPLAN_MACHINE_TEXT,
             "another libxsmm");
    struct tcplan_models *found[] = {stored(&machine, TCPLAN_OK), stored(&library, TCPLAN_OK),
                                     stored(&other, TCPLAN_OK), stored(&store, TCPLAN_OK)};
    assert_int_equal(tcplan_models_count(found[0]), 0);
    assert_int_equal(tcplan_models_count(found[1]), 0);
    assert_int_equal(tcplan_models_count(found[2]),
                     1); /* BLIS, which is not linked, does not affect the models of the BLAS */
    assert_int_equal(tcplan_models_count(found[3]), 1);
    for (int f = 0; f < 4; f++) tcplan_models_free(found[f]);
    tcplan_model_free(model);
}

static void a_store_without_a_folder_stores_nothing(void **state) {
    struct tcplan_store store = here();
    struct tcplan_model *model = a_model("dgemm", 3, 4, 1);
    (void)state;
    store.folder = NULL;
    keep(&store, model);
    struct tcplan_models *found = stored(&store, TCPLAN_OK);
    assert_int_equal(tcplan_models_count(found), 0);
    tcplan_models_free(found);
    tcplan_model_free(model);
}

/** Finds the only file whose name begins with the given text; it contains the models of a
 * routine. */
static void find_file(char out[512], const char *begin) {
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    out[0] = '\0';
    while ((entry = readdir(open_folder))) {
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0)
            snprintf(out, 512, "%s/%s", folder, entry->d_name);
    }
    closedir(open_folder);
    assert_true(*out);
}

static void a_damaged_file_loses_no_others(void **state) {
    const struct tcplan_store store = here();
    struct tcplan_model *first = a_model("dgemm", 2, 1, 1), *second = a_model("dtrsm", 2, 1, 2);
    struct tcplan_models *found;
    struct tcplan_error error;
    char path[512];
    (void)state;
    keep(&store, first);
    keep(&store, second);
    find_file(path, "models-dgemm");
    assert_int_equal(truncate(path, 300), 0);
    assert_int_equal(tcplan_store_models(&found, &store, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "models-dgemm"));
    assert_non_null(strstr(error.message, "damaged"));
    assert_int_equal(tcplan_models_count(found), 1);
    expect_same(tcplan_models_at(found, 0), second);
    tcplan_models_free(found);
    tcplan_model_free(first);
    tcplan_model_free(second);
}

/** Models in the previous format are skipped; one message reports this. */
static void models_of_an_earlier_version_are_skipped(void **state) {
    const struct tcplan_store store = here();
    struct tcplan_model *model = a_model("dgemm", 2, 1, 1);
    struct tcplan_models *found;
    struct tcplan_error error;
    (void)state;
    keep(&store, model);
    for (int i = 0; i < 2; i++) {
        char key[40], name[TCPLAN_STORE_NAME], path[512];
        struct strbuf text = {0};
        snprintf(key, sizeof key, "dtrsm%d-openblas-1-warm-1a2b3c4d", i);
        store_name(name, &store, &store_kind_models, key);
        strbuf_add(&text,
                   "tcplan store 1\nentry kind=models version=1 key=%s made=1700000000 "
                   "tcplan=0.1.0\nof CPU=x\nmodel case=dtrsm\n",
                   key);
        strbuf_add(&text, "checksum %08" PRIx32 "\n", checksum_add(0, text.text, text.length));
        snprintf(path, sizeof path, "%s/%s.tcplan", folder, name);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(text.text, 1, text.length, file), text.length);
        fclose(file);
        strbuf_free(&text);
    }
    assert_int_equal(tcplan_store_models(&found, &store, &error), TCPLAN_MISMATCH);
    assert_non_null(strstr(error.message, "models-dtrsm0"));
    assert_non_null(strstr(error.message, "models of version 1, written by tcplan 0.1.0"));
    assert_int_equal(tcplan_models_count(found), 1);
    expect_same(tcplan_models_at(found, 0), model);
    tcplan_models_free(found);
    tcplan_model_free(model);
}

static char *text_of(const struct tcplan_model *model) {
    struct entry entry = {
        .key = "key", .made = 1, .fingerprint = here().fingerprint, .kind = &store_kind_models};
    const struct stored_models stored = {.models = tcplan_models_new(),
                                         .fingerprint = &entry.fingerprint};
    assert_int_equal(tcplan_models_add(stored.models, tcplan_model_copy(model), NULL), TCPLAN_OK);
    char *text = entry_text(&entry, &stored);
    assert_non_null(text);
    tcplan_models_free(stored.models);
    return text;
}

static void an_entry_cut_at_any_byte_is_refused(void **state) {
    struct tcplan_model *model = a_model("dgemm", 2, 2, 1);
    char *text = text_of(model);
    const size_t length = strlen(text);
    (void)state;
    for (size_t cut = 0; cut < length; cut++) {
        struct entry entry;
        struct tcplan_error error = {0};
        enum tcplan_status status = entry_read(&entry, text, cut, &error);
        assert_int_equal(status, TCPLAN_INVALID);
        assert_true(*error.message);
    }
    free(text);
    tcplan_model_free(model);
}

/** Contents without a checksum, truncated or changed anywhere, are refused, or are read and can be
 * written again. */
static void contents_cut_or_changed_anywhere_do_no_harm(void **state) {
    struct tcplan_model *model = a_model("dgemm", 2, 2, 1);
    char *text = text_of(model);
    struct entry entry;
    (void)state;
    assert_int_equal(entry_read(&entry, text, strlen(text), NULL), TCPLAN_OK);
    char *content = base_alloc(entry.length);
    for (size_t at = 0; at < 2 * entry.length; at++) {
        struct stored_models into = {.models = tcplan_models_new()};
        struct tcplan_error error = {0};
        const size_t place = at % entry.length, length = at < entry.length ? place : entry.length;
        memcpy(content, entry.content, entry.length);
        if (at >= entry.length) content[place] = (char)(content[place] == '9' ? '\n' : '9');
        const enum tcplan_status status =
            kind_read(&into, &store_kind_models, content, length, &error);
        assert_true(status == TCPLAN_OK || (status == TCPLAN_INVALID && *error.message));
        if (at < entry.length && place + 1 < entry.length) assert_int_equal(status, TCPLAN_INVALID);
        tcplan_models_free(into.models);
    }
    base_free(content);
    free(text);
    tcplan_model_free(model);
}

static void new_samples_are_added_to_stored_ones(void **state) {
    const struct tcplan_store store = here();
    const struct tcplan_model_setup setup = {
        .provider = "openblas", .version = "OpenBLAS 0.3 (Core)", .threads = 2};
    struct tcplan_model_samples first = {0}, second = {0}, found = {0}, none = {0};
    (void)state;
    for (int i = 0; i < 60; i++) {
        const struct tcplan_model_sample sample = {.size = {8 + 8 * i, 16},
                                                   .repetitions = i,
                                                   .ns = {i + 0.1, i + 0.2, i + 0.3, i + 0.4, 0}};
        if (i < 40) assert_int_equal(tcplan_model_samples_add(&first, &sample, NULL), TCPLAN_OK);
        if (i >= 30) assert_int_equal(tcplan_model_samples_add(&second, &sample, NULL), TCPLAN_OK);
    }
    assert_int_equal(tcplan_store_keep_samples(&store, "dgemm a=1", &setup, &first, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_store_keep_samples(&store, "dgemm a=1", &setup, &second, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_store_samples(&found, &store, "dgemm a=1", &setup, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_store_samples(&none, &store, "dgemm a=0", &setup, NULL), TCPLAN_OK);
    assert_int_equal(found.count, 60);
    assert_int_equal(none.count, 0);
    for (int i = 0; i < 60; i++) {
        const int64_t size[TCPLAN_MODEL_SIZES] = {8 + 8 * i, 16};
        const struct tcplan_model_sample *sample = tcplan_model_samples_find(&found, size);
        assert_non_null(sample);
        assert_int_equal(sample->repetitions, i);
        assert_true(sample->ns[TCPLAN_MODEL_MEDIAN] == i + 0.2);
    }
    tcplan_model_samples_free(&first);
    tcplan_model_samples_free(&second);
    tcplan_model_samples_free(&found);
}

/** Writes an entry of 4 MiB with this date. Entries of its kind are removed if the store is full.
 */
static void write_ballast(int number, int made) {
    char path[512];
    struct strbuf text = {0};
    strbuf_add(&text,
               "tcplan store 1\nentry kind=ceilings version=1 key=%d made=%d tcplan=1\nof CPU=x\n",
               number, made);
    strbuf_fill(&text, 'x', (4 << 20) - 200);
    strbuf_add(&text, "\n");
    strbuf_add(&text, "checksum %08" PRIx32 "\n", checksum_add(0, text.text, text.length));
    snprintf(path, sizeof path, "%s/ceilings-%d.tcplan", folder, number);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text.text, 1, text.length, file), text.length);
    fclose(file);
    strbuf_free(&text);
}

static void models_are_not_removed_to_make_room(void **state) {
    struct tcplan_store store = here();
    struct tcplan_store_list list;
    struct tcplan_model *first = a_model("dgemm", 2, 1, 1), *second = a_model("dtrsm", 2, 1, 1);
    (void)state;
    keep(&store, first);
    for (int b = 0; b < 6; b++) write_ballast(b, 1700000100 + b);
    store.now += 1000;
    keep(&store, second);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 2 + 3); /* 14 MiB hold the newest three of the six entries, and the
                                            two others */
    tcplan_store_list_free(&list);
    struct tcplan_models *found = stored(&store, TCPLAN_OK);
    assert_int_equal(tcplan_models_count(found), 2);
    tcplan_models_free(found);
    tcplan_model_free(first);
    tcplan_model_free(second);
}

/* XML. */

static bool append(void *context, const char *text, size_t length) {
    strbuf_append(context, text, length);
    return true;
}

static char *xml_of(const struct tcplan_models *models) {
    struct strbuf text = {0};
    const struct tcplan_fingerprint fingerprint = here().fingerprint;
    assert_int_equal(tcplan_models_write(models, &fingerprint, append, &text, NULL), TCPLAN_OK);
    return strbuf_finish(&text);
}

static struct tcplan_models *some_models(size_t pieces) {
    struct tcplan_models *models = tcplan_models_new();
    for (int m = 0; m < 4; m++) {
        char text[40];
        snprintf(text, sizeof text, "dgemm c=%d", m);
        struct tcplan_model *model = a_model(text, 1 + m, pieces, (uint64_t)m);
        if (m == 1) model->setup.placement = TCPLAN_MODEL_STREAMING;
        if (m == 2) model->config.grid = TCPLAN_MODEL_CARTESIAN;
        assert_int_equal(tcplan_models_add(models, model, NULL), TCPLAN_OK);
    }
    return models;
}

static enum tcplan_status read_xml(struct tcplan_models **out, const char *text,
                                   struct tcplan_error *error) {
    struct memory_source source = memory_source_of(text);
    struct tcplan_fingerprint fingerprint;
    return tcplan_models_read(out, &fingerprint, memory_source_read, &source, error);
}

static void xml_reads_back_as_it_was(void **state) {
    struct tcplan_models *models = some_models(5), *read;
    struct tcplan_fingerprint fingerprint;
    char *text = xml_of(models);
    struct memory_source source = memory_source_of(text);
    (void)state;
    assert_int_equal(tcplan_models_read(&read, &fingerprint, memory_source_read, &source, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_models_count(read), 4);
    for (size_t m = 0; m < 4; m++)
        expect_same(tcplan_models_at(models, m), tcplan_models_at(read, m));
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        assert_string_equal(fingerprint.part[p], here().fingerprint.part[p]);
    char *again = xml_of(read);
    assert_string_equal(text, again);
    free(text);
    free(again);
    tcplan_models_free(models);
    tcplan_models_free(read);
}

static void xml_cut_at_any_byte_is_refused(void **state) {
    struct tcplan_models *models = some_models(1), *read;
    char *text = xml_of(models);
    size_t length = strlen(text);
    (void)state;
    while (text[length - 1] != '>') length--;
    for (size_t cut = 0; cut < length; cut++) {
        struct tcplan_error error = {0};
        const char c = text[cut];
        text[cut] = '\0';
        assert_int_equal(read_xml(&read, text, &error), TCPLAN_INVALID);
        assert_null(read);
        assert_true(*error.message);
        text[cut] = c;
    }
    free(text);
    tcplan_models_free(models);
}

static xmlRelaxNGPtr schema(void) {
    xmlRelaxNGParserCtxtPtr parser =
        xmlRelaxNGNewParserCtxt(TCPLAN_TESTS_DIR "/../contractions/schemas/models.rng");
    xmlRelaxNGPtr out = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    assert_non_null(out);
    return out;
}

static void say_nothing(void *context, xmlErrorPtr complaint) {
    (void)context;
    (void)complaint;
}

static bool is_valid(xmlRelaxNGPtr published, const char *text) {
    xmlDocPtr document = xmlReadMemory(text, (int)strlen(text), "models.xml", NULL,
                                       XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    assert_non_null(document);
    xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt(published);
    xmlRelaxNGSetValidStructuredErrors(context, say_nothing, NULL);
    const bool valid = xmlRelaxNGValidateDoc(context, document) == 0;
    xmlRelaxNGFreeValidCtxt(context);
    xmlFreeDoc(document);
    return valid;
}

static void written_documents_are_valid(void **state) {
    struct tcplan_models *models = some_models(5), *none = tcplan_models_new();
    xmlRelaxNGPtr published = schema();
    char *text = xml_of(models), *empty = xml_of(none);
    (void)state;
    assert_true(is_valid(published, text));
    assert_true(is_valid(published, empty));
    xmlRelaxNGFree(published);
    free(text);
    free(empty);
    tcplan_models_free(models);
    tcplan_models_free(none);
}

/** Returns the text with an attribute of the first element of that name changed, or removed if
 * `value` is NULL. */
static char *change(const char *text, const char *element, const char *attribute,
                    const char *value) {
    char begin[80];
    struct strbuf out = {0};
    snprintf(begin, sizeof begin, "<%s ", element);
    const char *from = strstr(text, begin);
    assert_non_null(from);
    snprintf(begin, sizeof begin, " %s=\"", attribute);
    const char *at = strstr(from, begin);
    assert_non_null(at);
    const char *end = strchr(at + strlen(begin), '"') + 1;
    strbuf_append(&out, text, (size_t)(at - text));
    if (value) strbuf_add(&out, " %s=\"%s\"", attribute, value);
    strbuf_add(&out, "%s", end);
    return strbuf_finish(&out);
}

static void documents_that_violate_the_schema_are_refused(void **state) {
    static const struct {
        const char *element, *attribute, *value;
    } changes[] = {
        {"models", "format", "2"},     {"models", "format", NULL},
        {"machine", "CPU", NULL},      {"machine", "BLIS", ""},
        {"model", "case", "1x"},       {"model", "case", "dgemm  c=1"},
        {"model", "case", NULL},       {"model", "provider", "a/b"},
        {"model", "threads", "0"},     {"model", "threads", "x"},
        {"model", "threads", NULL},    {"size", "name", NULL},
        {"size", "low", "0"},          {"size", "high", "-8"},
        {"size", "degree", "5"},       {"model", "oversampling", NULL},
        {"model", "grid", "random"},   {"model", "bound", "-1"},
        {"model", "bound", NULL},      {"model", "made", "x"},
        {"model", "complete", "1"},    {"check", "p90", "nan"},
        {"model", "points", NULL},     {"piece", "low", ""},
        {"piece", "low", "8 8 8 8 8"}, {"piece", "low", NULL},
        {"piece", "high", "1e3"},      {"piece", "degree", "9"},
        {"piece", "points", "0"},      {"piece", "error", "-0.1"},
        {"piece", "minimum", ""},      {"piece", "median", "1 x"},
        {"piece", "mean", "inf"},      {"piece", "deviation", NULL},
    };
    struct tcplan_models *models = some_models(3);
    xmlRelaxNGPtr published = schema();
    char *text = xml_of(models);
    (void)state;
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        struct tcplan_models *read;
        struct tcplan_error error = {0};
        char *changed = change(text, changes[c].element, changes[c].attribute, changes[c].value);
        assert_false(is_valid(published, changed));
        assert_int_equal(read_xml(&read, changed, &error), TCPLAN_INVALID);
        assert_true(error.line > 0);
        free(changed);
    }
    xmlRelaxNGFree(published);
    free(text);
    tcplan_models_free(models);
}

static void faults_beyond_the_schema_are_refused(void **state) {
    static const struct {
        const char *element, *attribute, *value;
    } changes[] = {
        {"piece", "low", "16"},      {"piece", "high", "8 8"},   {"piece", "degree", "8"},
        {"piece", "minimum", "1"},   {"size", "high", "528"},    {"model", "bound", "7"},
        {"model", "bound", "1e999"}, {"model", "multiple", "3"}, {"piece", "maximum", "1  2"},
    };
    struct tcplan_models *models = some_models(3);
    char *text = xml_of(models);
    (void)state;
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        struct tcplan_models *read;
        char *changed = change(text, changes[c].element, changes[c].attribute, changes[c].value);
        assert_int_equal(read_xml(&read, changed, NULL), TCPLAN_INVALID);
        free(changed);
    }
    free(text);
    tcplan_models_free(models);
}

static void out_of_memory_is_reported(void **state) {
    struct tcplan_models *models = some_models(2), *read = NULL;
    char *text = xml_of(models);
    (void)state;
    for (long successes = 0; !read; successes++) {
        struct tcplan_error error = {0};
        base_alloc_fail_after(successes);
        const enum tcplan_status status = read_xml(&read, text, &error);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
    }
    tcplan_models_free(read);
    free(text);
    tcplan_models_free(models);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(stored_models_are_found_unchanged, take_folder),
        cmocka_unit_test_setup(models_of_other_bindings_are_other_models, take_folder),
        cmocka_unit_test_setup(a_model_takes_the_place_of_one_before, take_folder),
        cmocka_unit_test_setup(models_of_another_machine_or_library_are_not_found, take_folder),
        cmocka_unit_test_setup(a_store_without_a_folder_stores_nothing, take_folder),
        cmocka_unit_test_setup(a_damaged_file_loses_no_others, take_folder),
        cmocka_unit_test_setup(models_of_an_earlier_version_are_skipped, take_folder),
        cmocka_unit_test(an_entry_cut_at_any_byte_is_refused),
        cmocka_unit_test(contents_cut_or_changed_anywhere_do_no_harm),
        cmocka_unit_test_setup(new_samples_are_added_to_stored_ones, take_folder),
        cmocka_unit_test_setup(models_are_not_removed_to_make_room, take_folder),
        cmocka_unit_test(xml_reads_back_as_it_was),
        cmocka_unit_test(xml_cut_at_any_byte_is_refused),
        cmocka_unit_test(written_documents_are_valid),
        cmocka_unit_test(documents_that_violate_the_schema_are_refused),
        cmocka_unit_test(faults_beyond_the_schema_are_refused),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
