#include "roofline/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** The first line of a file; empty where it cannot be read. */
static void read_line(char *out, size_t size, const char *path) {
    FILE *file = fopen(path, "r");
    out[0] = '\0';
    if (!file) return;
    if (!fgets(out, (int)size, file)) out[0] = '\0';
    fclose(file);
}

struct system_times system_times(void) {
    enum { STEAL = 7, FIELDS = 8 }; /* user nice system idle iowait irq softirq steal; guest time is part of user */
    char line[512];
    struct system_times times = {0};
    read_line(line, sizeof line, "/proc/stat");
    const char *at = strncmp(line, "cpu ", 4) == 0 ? line + 4 : "";
    for (int field = 0; field < FIELDS; field++) {
        uint64_t ticks;
        int length = 0;
        if (sscanf(at, "%" SCNu64 "%n", &ticks, &length) != 1) break;
        times.all += ticks;
        if (field == STEAL) times.stolen = ticks;
        at += length;
    }
    return times;
}

void system_load(double *average, int *running) {
    char line[128];
    double minute;
    int now;
    read_line(line, sizeof line, "/proc/loadavg");
    const bool known = sscanf(line, "%lf %*f %*f %d/", &minute, &now) == 2;
    *average = known ? minute : -1;
    *running = known && now > 0 ? now - 1 : known ? 0 : -1;
}

int64_t system_huge_page_bytes(void) {
    char line[64];
    int64_t bytes;
    read_line(line, sizeof line, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    return sscanf(line, "%" SCNd64, &bytes) == 1 && bytes > 0 ? bytes : 0;
}

void system_huge_page_setting(char *out, size_t size) {
    char line[128];
    read_line(line, sizeof line, "/sys/kernel/mm/transparent_hugepage/enabled");
    const char *open = strchr(line, '['); /* always [madvise] never */
    const char *close = open ? strchr(open, ']') : NULL;
    snprintf(out, size, "%.*s", close ? (int)(close - open - 1) : 0, close ? open + 1 : "");
}

bool system_is_virtual(void) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[8192];
    bool virtual = false;
    while (file && !virtual && fgets(line, sizeof line, file)) {
        virtual = strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor") != NULL;
    }
    if (file) fclose(file);
    return virtual;
}
