#include "microbench/counters/pmu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

static const char devices[] = "/sys/bus/event_source/devices";

bool pmu_read_file(char *out, int size, const char *root, const char *path) {
    char name[2 * PMU_TEXT];
    out[0] = '\0';
    snprintf(name, sizeof name, "%s%s", root, path);
    FILE *file = fopen(name, "r");
    if (!file) return false;
    const size_t length = fread(out, 1, (size_t)size - 1, file);
    out[length] = '\0';
    fclose(file);
    if (length > 0 && out[length - 1] == '\n') out[length - 1] = '\0';
    return true;
}

/** Reads a file in the folder of a PMU. */
static bool read_part(char *out, int size, const struct pmu *pmu, const char *part) {
    char path[2 * PMU_TEXT];
    snprintf(path, sizeof path, "%s/%s", pmu->folder, part);
    return pmu_read_file(out, size, "", path);
}

/** list = range { "," range } ; range = number [ "-" number ] */
static int read_cpus(int out[PMU_MAX_CPUS], const char *text) {
    int count = 0;
    while (*text >= '0' && *text <= '9') {
        char *end;
        const long first = strtol(text, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last && count < PMU_MAX_CPUS; cpu++) out[count++] = (int)cpu;
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

bool pmu_find(struct pmu *out, const char *root, const char *name) {
    char text[PMU_TEXT];
    struct pmu pmu = {0};
    snprintf(pmu.name, sizeof pmu.name, "%s", name);
    const int length = snprintf(pmu.folder, sizeof pmu.folder, "%s%s/%s", root, devices, name);
    if (length >= (int)sizeof pmu.folder || !read_part(text, sizeof text, &pmu, "type"))
        return false;
    pmu.type = (uint32_t)strtoul(text, NULL, 10);
    if (read_part(text, sizeof text, &pmu, "cpumask")) pmu.cpu_count = read_cpus(pmu.cpu, text);
    *out = pmu;
    return true;
}

bool pmu_next(struct pmu *out, const char *root, const char *prefix) {
    char folder[PMU_TEXT], best[PMU_NAME] = "";
    snprintf(folder, sizeof folder, "%s%s", root, devices);
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *name = entry->d_name;
        const size_t length = strlen(name);
        if (strncmp(name, prefix, strlen(prefix)) != 0 || length >= sizeof best ||
            strcmp(name, out->name) <= 0)
            continue;
        if (!*best || strcmp(name, best) < 0) memcpy(best, name, length + 1);
    }
    if (directory) closedir(directory);
    return *best && pmu_find(out, root, best);
}

/** Stores the low bits of a value in one range of a config word; returns the remaining bits. */
static uint64_t fill(uint64_t *config, int first, int last, uint64_t value) {
    for (int bit = first; bit <= last && bit < 64; bit++, value >>= 1)
        *config |= (value & 1) << bit;
    return value;
}

/** format = ( "config" | "config1" | "config2" ) ":" range { "," range } */
static bool place(struct pmu_event *out, const char *format, uint64_t value) {
    const size_t length = strcspn(format, ":");
    uint64_t *config = length == 6        ? &out->config
                       : format[6] == '1' ? &out->config1
                       : format[6] == '2' ? &out->config2
                                          : NULL;
    if (strncmp(format, "config", 6) != 0 || !config || format[length] != ':') return false;
    for (const char *at = format + length + 1; *at >= '0' && *at <= '9';) {
        char *end;
        const long first = strtol(at, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (first > 63 || last > 63) return false;
        value = fill(config, (int)first, (int)last, value);
        at = *end == ',' ? end + 1 : end;
    }
    return value == 0;
}

/** word = name [ "=" number ] */
static bool encode_word(struct pmu_event *out, const struct pmu *pmu, const char *word,
                        size_t length) {
    char name[PMU_NAME], part[2 * PMU_NAME], format[PMU_TEXT];
    const size_t name_length = strcspn(word, "=,");
    if (name_length >= sizeof name || name_length == 0) return false;
    snprintf(name, sizeof name, "%.*s", (int)name_length, word);
    snprintf(part, sizeof part, "format/%s", name);
    const uint64_t value = name_length < length ? strtoull(word + name_length + 1, NULL, 0) : 1;
    return !strchr(name, '/') && read_part(format, sizeof format, pmu, part) &&
           place(out, format, value);
}

bool pmu_encode(struct pmu_event *out, const struct pmu *pmu, const char *words) {
    *out = (struct pmu_event){0};
    for (const char *word = words; *word;) {
        const size_t length = strcspn(word, ",");
        if (!encode_word(out, pmu, word, length)) return false;
        word += length + (word[length] == ',');
    }
    return *words != '\0';
}

bool pmu_listed(struct pmu_event *out, double *scale, const struct pmu *pmu, const char *event) {
    char part[2 * PMU_NAME], text[PMU_TEXT], unit[PMU_TEXT];
    *scale = 0;
    snprintf(part, sizeof part, "events/%.60s", event);
    if (!read_part(text, sizeof text, pmu, part) || !pmu_encode(out, pmu, text)) return false;
    snprintf(part, sizeof part, "events/%.60s.unit", event);
    const bool is_mib = read_part(unit, sizeof unit, pmu, part) && strcmp(unit, "MiB") == 0;
    snprintf(part, sizeof part, "events/%.60s.scale", event);
    if (is_mib && read_part(text, sizeof text, pmu, part) &&
        decimal_read(scale, text, strlen(text)))
        *scale *= 1048576;
    return true;
}
