#include "routines/sampler/generation/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "base/strbuf.h"
#include "microbench/timing/clock.h"
#include "store/fields.h"
#include "store/store.h"

static const char magic[] = "tcplan samples 1";

enum {
    SUM_LENGTH = 13 /* length of " sum=1a2b3c4d" */,
    PENDING_NS = 200000000,
    MOST_SAMPLES = 1 << 20
};

#define MOST_SECONDS 1e6

struct samples {
    FILE *file; /* file to which samples are appended; NULL: none */
    uint64_t written_ns;
    int case_count;
    struct samples_case *cases;
    int64_t point_count;
    int64_t point_capacity;
    struct samples_point *point;
    int64_t slot_count; /* number of slots of the hash table, a power of two; at most half are used
                         */
    int64_t *slot;      /* number of a point plus 1; 0: empty */
    int64_t sample_count;
};

/** The values in a line of a sample. */
struct sample_line {
    int case_number; /* numbered from 1 */
    int64_t size[SAMPLES_SIZES];
    struct timed_sample sample;
};

#define SETUP(label, kind, member)                                                                 \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct samples_setup, member)
#define LINE(label, kind, member)                                                                  \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct sample_line, member)

static const struct field setup_fields[] = {
    {SETUP("cpu", TEXT, cpu), .size = TCPLAN_MACHINE_TEXT},
    {SETUP("cores", TEXT, cores), .size = TCPLAN_MACHINE_TEXT},
    {SETUP("caches", TEXT, caches), .size = TCPLAN_MACHINE_TEXT},
    {SETUP("library", TEXT, library), .size = TCPLAN_MACHINE_TEXT},
    {SETUP("threads", INT, threads), .lowest = 1, .highest = INT_MAX},
    {SETUP("binding", TEXT, binding), .size = TCPLAN_MODEL_BINDING},
    {SETUP("placement", TEXT, placement), .size = TCPLAN_MACHINE_TEXT},
    {SETUP("counter", TEXT, counter), .size = TCPLAN_MODEL_NAME},
    {0},
};

static const struct field case_fields[] = {
    {.name = "name",
     .type = FIELD_TEXT,
     .offset = offsetof(struct samples_case, name),
     .size = TCPLAN_MODEL_TEXT},
    {.name = "leading",
     .type = FIELD_INT64,
     .offset = offsetof(struct samples_case, leading),
     .lowest = 1,
     .highest = INT64_MAX},
    {0},
};

static const struct field sample_fields[] = {
    {LINE("case", INT, case_number), .lowest = 1, .highest = INT_MAX},
    {LINE("first", INT64, size[0]), .lowest = 1, .highest = INT64_MAX},
    {LINE("second", INT64, size[1]), .lowest = 1, .highest = INT64_MAX},
    {LINE("third", INT64, size[2]), .lowest = 1, .highest = INT64_MAX},
    {LINE("fourth", INT64, size[3]), .lowest = 1, .highest = INT64_MAX},
    {LINE("seconds", REAL, sample.seconds)},
    {LINE("before", REAL, sample.before)},
    {LINE("after", REAL, sample.after)},
    {LINE("apart", REAL, sample.apart_seconds)},
    {LINE("at", REAL, sample.at_seconds)},
    {0},
};

static int find_case(const struct samples *samples, const struct samples_case *wanted) {
    int found = 0;
    while (found < samples->case_count && (strcmp(samples->cases[found].name, wanted->name) != 0 ||
                                           samples->cases[found].leading != wanted->leading))
        found++;
    return found;
}

static enum tcplan_status append_case(struct samples *samples, const struct samples_case *added,
                                      struct tcplan_error *error) {
    struct samples_case *larger =
        base_realloc(samples->cases, (size_t)(samples->case_count + 1) * sizeof *larger);
    if (!larger) return error_no_memory(error);
    samples->cases = larger;
    larger[samples->case_count++] = *added;
    return TCPLAN_OK;
}

/** Returns the slot of a point, or the free slot for it. */
static int64_t find_slot(const struct samples *samples, int case_number,
                         const int64_t size[SAMPLES_SIZES]) {
    uint64_t hash = hash_add(HASH_OF_NOTHING, &case_number, sizeof case_number);
    hash = hash_spread(hash_add(hash, size, SAMPLES_SIZES * sizeof *size));
    int64_t at = (int64_t)(hash & (uint64_t)(samples->slot_count - 1));
    for (; samples->slot[at] > 0; at = (at + 1) & (samples->slot_count - 1)) {
        const struct samples_point *point = &samples->point[samples->slot[at] - 1];
        if (point->case_number == case_number && memcmp(point->size, size, sizeof point->size) == 0)
            break;
    }
    return at;
}

/** Makes room for one more point. */
static bool grow_slots(struct samples *samples) {
    if (2 * (samples->point_count + 1) <= samples->slot_count) return true;
    const int64_t count = samples->slot_count > 0 ? 2 * samples->slot_count : 256;
    int64_t *slot = base_alloc_zero((size_t)count, sizeof *slot);
    if (!slot) return false;
    base_free(samples->slot);
    samples->slot = slot;
    samples->slot_count = count;
    for (int64_t p = 0; p < samples->point_count; p++) {
        slot[find_slot(samples, samples->point[p].case_number, samples->point[p].size)] = p + 1;
    }
    return true;
}

static bool grow_points(struct samples *samples) {
    if (samples->point_count < samples->point_capacity) return true;
    const int64_t capacity = samples->point_capacity > 0 ? 2 * samples->point_capacity : 64;
    struct samples_point *point = base_realloc(samples->point, (size_t)capacity * sizeof *point);
    if (!point) return false;
    samples->point = point;
    samples->point_capacity = capacity;
    return true;
}

int64_t samples_find(struct samples *samples, int case_number, const int64_t size[SAMPLES_SIZES]) {
    if (!grow_slots(samples)) return -1;
    const int64_t at = find_slot(samples, case_number, size);
    if (samples->slot[at] > 0) return samples->slot[at] - 1;
    if (!grow_points(samples)) return -1;
    struct samples_point *point = &samples->point[samples->point_count];
    *point = (struct samples_point){.case_number = case_number};
    memcpy(point->size, size, sizeof point->size);
    samples->slot[at] = ++samples->point_count;
    return samples->point_count - 1;
}

int64_t samples_known(const struct samples *samples, const struct samples_case *wanted,
                      const int64_t size[SAMPLES_SIZES]) {
    const int number = find_case(samples, wanted);
    if (number == samples->case_count || samples->slot_count == 0) return -1;
    const int64_t point = samples->slot[find_slot(samples, number, size)] - 1;
    return point >= 0 && samples->point[point].count > 0 ? point : -1;
}

const struct samples_point *samples_point(const struct samples *samples, int64_t point) {
    return &samples->point[point];
}

int64_t samples_points(const struct samples *samples) {
    return samples->point_count;
}

int64_t samples_count(const struct samples *samples) {
    return samples->sample_count;
}

/** Adds a sample to those in memory. */
static enum tcplan_status remember(struct samples *samples, int64_t number,
                                   const struct timed_sample *sample, struct tcplan_error *error) {
    struct samples_point *point = &samples->point[number];
    if (point->count == point->capacity) {
        const int capacity = point->capacity > 0 ? 2 * point->capacity : 8;
        struct timed_sample *larger =
            point->count < MOST_SAMPLES
                ? base_realloc(point->sample, (size_t)capacity * sizeof *larger)
                : NULL;
        if (!larger) return error_no_memory(error);
        point->sample = larger;
        point->capacity = capacity;
    }
    point->sample[point->count++] = *sample;
    samples->sample_count++;
    return TCPLAN_OK;
}

/** Completes the line in the buffer with its checksum and a newline, and writes it. */
static enum tcplan_status write_line(struct samples *samples, struct strbuf *line,
                                     struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (line->failed) {
        status = error_no_memory(error);
    } else {
        const size_t length = line->length - 1; /* length without the newline */
        if (fprintf(samples->file, "%.*s sum=%08" PRIx32 "\n", (int)length, line->text,
                    checksum_add(0, line->text, length)) < 0)
            status =
                error_set(error, TCPLAN_ENVIRONMENT, "cannot write samples: %s", strerror(errno));
    }
    strbuf_free(line);
    return status;
}

static enum tcplan_status write_object(struct samples *samples, const char *word,
                                       const struct field fields[], const void *object,
                                       struct tcplan_error *error) {
    struct strbuf line = {0};
    if (!samples->file) return TCPLAN_OK;
    fields_write(&line, word, fields, object);
    return write_line(samples, &line, error);
}

static enum tcplan_status flush(struct samples *samples, struct tcplan_error *error) {
    if (samples->file && fflush(samples->file) != 0)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot write samples: %s", strerror(errno));
    samples->written_ns = clock_now_ns();
    return TCPLAN_OK;
}

enum tcplan_status samples_case(int *out, struct samples *samples,
                                const struct samples_case *wanted, struct tcplan_error *error) {
    *out = find_case(samples, wanted);
    if (*out < samples->case_count) return TCPLAN_OK;
    enum tcplan_status status = append_case(samples, wanted, error);
    return status == TCPLAN_OK ? write_object(samples, "case", case_fields, wanted, error) : status;
}

enum tcplan_status samples_take(struct samples *samples, int64_t point,
                                const struct timed_sample *sample, struct tcplan_error *error) {
    struct sample_line line = {.case_number = samples->point[point].case_number + 1,
                               .sample = *sample};
    memcpy(line.size, samples->point[point].size, sizeof line.size);
    enum tcplan_status status = remember(samples, point, sample, error);
    if (status == TCPLAN_OK) status = write_object(samples, "sample", sample_fields, &line, error);
    if (status == TCPLAN_OK && clock_now_ns() - samples->written_ns > PENDING_NS)
        status = flush(samples, error);
    return status;
}

enum tcplan_status samples_keep(struct samples *samples, struct tcplan_error *error) {
    enum tcplan_status status = flush(samples, error);
    if (status == TCPLAN_OK && samples->file) fdatasync(fileno(samples->file));
    return status;
}

/** The remaining text of a file, and the number of the last line read. */
struct reader {
    const char *at;
    const char *end;
    size_t line;
};

/** Returns the next complete line without its newline and checksum; `out` is NULL if there is none.
 */
static enum tcplan_status next_line(const char **out, size_t *length, struct reader *reader,
                                    struct tcplan_error *error) {
    const char *end = reader->at < reader->end
                          ? memchr(reader->at, '\n', (size_t)(reader->end - reader->at))
                          : NULL;
    char expected[SUM_LENGTH + 1];
    *out = NULL;
    if (!end) return TCPLAN_OK;
    const size_t whole = (size_t)(end - reader->at);
    *length = whole < SUM_LENGTH ? 0 : whole - SUM_LENGTH;
    snprintf(expected, sizeof expected, " sum=%08" PRIx32, checksum_add(0, reader->at, *length));
    reader->line++;
    if (whole < SUM_LENGTH || memcmp(reader->at + *length, expected, SUM_LENGTH) != 0) {
        return error_set(
            error, TCPLAN_INVALID,
            "it is damaged: the line does not end with the checksum of the text before it");
    }
    *out = reader->at;
    reader->at = end + 1;
    return TCPLAN_OK;
}

static bool begins_with(const char *line, size_t length, const char *word) {
    const size_t word_length = strlen(word);
    return length >= word_length && memcmp(line, word, word_length) == 0 &&
           (length == word_length || line[word_length] == ' ');
}

static enum tcplan_status read_head(struct samples_setup *setup, struct reader *reader,
                                    struct tcplan_error *error) {
    const char *line;
    size_t length;
    enum tcplan_status status = next_line(&line, &length, reader, error);
    if (status != TCPLAN_OK || !line || length != sizeof magic - 1 ||
        memcmp(line, magic, length) != 0)
        return error_set(error, TCPLAN_INVALID,
                         "it is not a file of samples: expected '%s' in its first line", magic);
    status = next_line(&line, &length, reader, error);
    if (status != TCPLAN_OK) return status;
    if (!line || !begins_with(line, length, "setup"))
        return error_set(error, TCPLAN_INVALID, "expected a line 'setup ...'");
    status =
        fields_read(setup, setup_fields, line + strlen("setup"), length - strlen("setup"), error);
    if (status == TCPLAN_OK && (setup->threads < 1 || !*setup->placement))
        status = error_set(error, TCPLAN_INVALID, "the setup does not state threads or placement");
    return status;
}

static enum tcplan_status read_case(struct samples *samples, const char *text, size_t length,
                                    struct tcplan_error *error) {
    struct samples_case read = {.leading = 0};
    enum tcplan_status status = fields_read(&read, case_fields, text, length, error);
    if (status != TCPLAN_OK) return status;
    if (!*read.name || read.leading < 1)
        return error_set(error, TCPLAN_INVALID, "the case lacks its name or its leading dimension");
    if (find_case(samples, &read) < samples->case_count)
        return error_set(error, TCPLAN_INVALID, "the case occurs twice");
    return append_case(samples, &read, error);
}

static bool is_time(double seconds) {
    return seconds >= 0 && seconds < MOST_SECONDS;
}

static enum tcplan_status read_sample(struct samples *samples, const char *text, size_t length,
                                      struct tcplan_error *error) {
    struct sample_line line = {.case_number = 0};
    enum tcplan_status status = fields_read(&line, sample_fields, text, length, error);
    if (status != TCPLAN_OK) return status;
    const struct timed_sample *sample = &line.sample;
    if (line.case_number < 1 || line.case_number > samples->case_count)
        return error_set(error, TCPLAN_INVALID, "expected the number of one of the %d cases above",
                         samples->case_count);
    if (!(sample->seconds > 0) || !is_time(sample->seconds) || !is_time(sample->before) ||
        !is_time(sample->after) || !is_time(sample->apart_seconds))
        return error_set(error, TCPLAN_INVALID, "expected a time above 0 s, and times below %g s",
                         MOST_SECONDS);
    const int64_t point = samples_find(samples, line.case_number - 1, line.size);
    return point < 0 ? error_no_memory(error) : remember(samples, point, sample, error);
}

static enum tcplan_status read_lines(struct samples *samples, struct reader *reader,
                                     struct tcplan_error *error) {
    for (;;) {
        const char *line;
        size_t length;
        enum tcplan_status status = next_line(&line, &length, reader, error);
        if (status != TCPLAN_OK || !line) return status;
        if (begins_with(line, length, "case")) {
            status = read_case(samples, line + strlen("case"), length - strlen("case"), error);
        } else if (begins_with(line, length, "sample")) {
            status =
                read_sample(samples, line + strlen("sample"), length - strlen("sample"), error);
        } else {
            status = error_set(error, TCPLAN_INVALID, "expected 'case' or 'sample'");
        }
        if (status != TCPLAN_OK) return status;
    }
}

enum tcplan_status samples_parse(struct samples **out, struct samples_setup *setup, size_t *whole,
                                 const char *text, size_t length, struct tcplan_error *error) {
    struct reader reader = {.at = text, .end = text + length};
    struct samples *samples = base_alloc_zero(1, sizeof *samples);
    *out = NULL;
    *setup = (struct samples_setup){.threads = 0};
    if (!samples) return error_no_memory(error);
    enum tcplan_status status = read_head(setup, &reader, error);
    if (status == TCPLAN_OK) status = read_lines(samples, &reader, error);
    *whole = (size_t)(reader.at - text);
    if (status == TCPLAN_OK) {
        *out = samples;
        return TCPLAN_OK;
    }
    if (error && status == TCPLAN_INVALID) error->line = reader.line > 0 ? reader.line : 1;
    samples_close(samples);
    return status;
}

/** Describes how the setup of a file differs from the expected one. */
static enum tcplan_status compare_setups(const char *path, const struct samples_setup *found,
                                         const struct samples_setup *expected,
                                         struct tcplan_error *error) {
    const struct {
        const char *name, *found, *expected;
    } part[] = {{"CPU", found->cpu, expected->cpu},
                {"cores", found->cores, expected->cores},
                {"caches", found->caches, expected->caches},
                {"library", found->library, expected->library},
                {"binding", found->binding, expected->binding},
                {"placement", found->placement, expected->placement},
                {"counter", found->counter, expected->counter}};
    for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
        if (strcmp(part[p].found, part[p].expected) == 0) continue;
        return error_set(error, TCPLAN_MISMATCH, "'%.80s' has samples of %s '%.70s', not '%.70s'",
                         path, part[p].name, part[p].found, part[p].expected);
    }
    if (found->threads == expected->threads) return TCPLAN_OK;
    return error_set(error, TCPLAN_MISMATCH, "'%.120s' has samples of %d threads, not %d", path,
                     found->threads, expected->threads);
}

static enum tcplan_status cannot(const char *what, const char *path, struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot %s '%.200s': %s", what, path,
                     strerror(errno));
}

/** Returns whether a text begins like a file of samples. An empty text and a truncated first line
 * do. */
static bool is_ours(const char *text, size_t length) {
    return memcmp(text, magic, length < sizeof magic - 1 ? length : sizeof magic - 1) == 0;
}

/** Reads the text of a file. Nothing is read if its content is to be dropped or its first line is
 * truncated. `whole` receives the number of bytes to keep. */
static enum tcplan_status read_file(struct samples **out, size_t *whole, const char *path,
                                    const struct samples_setup *setup, bool fresh,
                                    struct tcplan_error *error) {
    char *text = NULL;
    size_t length = 0;
    struct samples_setup found;
    *out = NULL;
    *whole = 0;
    enum tcplan_status status =
        input_file_read(&text, &length, "samples ", path, SAMPLES_MOST_BYTES, error);
    if (status != TCPLAN_OK) return status;
    if (is_ours(text, length) && (fresh || length < sizeof magic)) {
        *out = base_alloc_zero(1, sizeof **out);
        status = *out ? TCPLAN_OK : error_no_memory(error);
    } else {
        status = samples_parse(out, &found, whole, text, length, error);
        if (status == TCPLAN_INVALID) store_blame(path, error);
        if (status == TCPLAN_OK) status = compare_setups(path, &found, setup, error);
    }
    base_free(text);
    return status;
}

/** Writes the head of an empty file. */
static enum tcplan_status write_head(struct samples *samples, const struct samples_setup *setup,
                                     struct tcplan_error *error) {
    struct strbuf line = {0};
    strbuf_add(&line, "%s\n", magic);
    enum tcplan_status status = write_line(samples, &line, error);
    return status == TCPLAN_OK ? write_object(samples, "setup", setup_fields, setup, error)
                               : status;
}

/** Reads an open file, which the samples then own, and removes a truncated last line. */
static enum tcplan_status load(struct samples **out, FILE *file, const char *path,
                               const struct samples_setup *setup, bool fresh,
                               struct tcplan_error *error) {
    size_t whole;
    struct samples *samples;
    enum tcplan_status status = read_file(&samples, &whole, path, setup, fresh, error);
    if (status == TCPLAN_OK &&
        (ftruncate(fileno(file), (off_t)whole) != 0 || fseek(file, 0, SEEK_END) != 0)) {
        status = cannot("write", path, error);
    }
    if (status == TCPLAN_OK && samples) {
        samples->file = file;
        if (whole == 0) status = write_head(samples, setup, error);
        if (status == TCPLAN_OK) status = flush(samples, error);
        *out = samples;
        return status;
    }
    samples_close(samples);
    fclose(file);
    return status;
}

/** Opens the file and takes its lock, which its descriptor holds. */
static enum tcplan_status open_file(FILE **out, const char *path, struct tcplan_error *error) {
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return cannot("open", path, error);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        return error_set(error, TCPLAN_BUSY, "another process is adding samples to '%.200s'", path);
    }
    *out = fdopen(descriptor, "r+");
    if (*out) return TCPLAN_OK;
    close(descriptor);
    return error_no_memory(error);
}

enum tcplan_status samples_open(struct samples **out, const char *path,
                                const struct samples_setup *setup, bool fresh,
                                struct tcplan_error *error) {
    FILE *file = NULL;
    *out = NULL;
    if (!path) {
        *out = base_alloc_zero(1, sizeof **out);
        return *out ? TCPLAN_OK : error_no_memory(error);
    }
    enum tcplan_status status = open_file(&file, path, error);
    if (status == TCPLAN_OK) status = load(out, file, path, setup, fresh, error);
    if (status == TCPLAN_OK) return TCPLAN_OK;
    samples_close(*out);
    *out = NULL;
    return status;
}

void samples_close(struct samples *samples) {
    if (!samples) return;
    if (samples->file) fclose(samples->file);
    for (int64_t p = 0; p < samples->point_count; p++) base_free(samples->point[p].sample);
    base_free(samples->point);
    base_free(samples->slot);
    base_free(samples->cases);
    base_free(samples);
}
