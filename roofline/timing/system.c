#include "roofline/timing/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

/** Reads the first line of a file; "" if it cannot be read. */
static void read_line(char *out, size_t size, const char *path) {
    FILE *file = fopen(path, "r");
    out[0] = '\0';
    if (!file) return;
    if (!fgets(out, (int)size, file)) out[0] = '\0';
    fclose(file);
}

struct system_times system_times(void) {
    enum {
        STEAL = 7,
        FIELDS = 8
    }; /* columns: user nice system idle iowait irq softirq steal; user includes guest time */
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
    char line[128], text[32];
    double minute = 0;
    int now = 0;
    read_line(line, sizeof line, "/proc/loadavg");
    const bool known = sscanf(line, "%31s %*s %*s %d/", text, &now) == 2 &&
                       decimal_read(&minute, text, strlen(text));
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
    const char *open = strchr(line, '['); /* the line has the form: always [madvise] never */
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

/* Memory modules. */

enum {
    MODULE_TYPE = 17,
    MODULE_SIZE_AT = 0x0c,
    MODULE_SPEED_AT = 0x15,
    MODULE_CONFIGURED_AT = 0x20,
    MODULES_MAX = 256,
    CONTROLLERS_MAX = 64,
    CHANNELS_MAX = 64,
    RAW_MAX = 512,
    PATH_SIZE = 512
};

/** Returns a little-endian word of a structure; 0 after the end of its formatted part. */
static int word_at(const unsigned char *structure, size_t bytes, size_t at) {
    return at + 2 <= bytes ? structure[at] | structure[at + 1] << 8 : 0;
}

int64_t system_module_transfers(const unsigned char *structure, size_t bytes) {
    enum { UNKNOWN = 0xffff };
    if (bytes < 4 || structure[0] != MODULE_TYPE) return 0;
    if (structure[1] < bytes) bytes = structure[1];
    if (word_at(structure, bytes, MODULE_SIZE_AT) == 0) return 0; /* the slot is empty */
    int millions = word_at(structure, bytes, MODULE_CONFIGURED_AT);
    if (millions == 0 || millions == UNKNOWN) millions = word_at(structure, bytes, MODULE_SPEED_AT);
    return millions == UNKNOWN ? 0 : (int64_t)millions * 1000000;
}

static int64_t slowest_module(const char *root) {
    unsigned char raw[RAW_MAX];
    int64_t slowest = 0;
    for (int m = 0; m < MODULES_MAX; m++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/firmware/dmi/entries/%d-%d/raw", root, MODULE_TYPE, m);
        FILE *file = fopen(path, "rb");
        if (!file) break;
        const int64_t transfers = system_module_transfers(raw, fread(raw, 1, sizeof raw, file));
        fclose(file);
        if (transfers > 0 && (slowest == 0 || transfers < slowest)) slowest = transfers;
    }
    return slowest;
}

/** Marks the channel of a module, unless its slot is empty; returns false if there is no such
 * module number. */
static bool mark_channel(bool channel[CHANNELS_MAX], const char *folder, int module) {
    char path[PATH_SIZE];
    char line[128];
    long long megabytes = 0;
    int number;
    snprintf(path, sizeof path, "%s/dimm%d/dimm_location", folder, module);
    read_line(line, sizeof line, path);
    if (line[0] == '\0') return false;
    const char *at = strstr(line, "channel ");
    if (!at || sscanf(at, "channel %d", &number) != 1 || number < 0 || number >= CHANNELS_MAX)
        return true;
    snprintf(path, sizeof path, "%s/dimm%d/size", folder, module);
    read_line(line, sizeof line, path);
    channel[number] = channel[number] || (sscanf(line, "%lld", &megabytes) == 1 && megabytes > 0);
    return true;
}

/** Returns the socket in a controller's name, such as `Skylake Socket#1 IMC#0`; -1 if the name has
 * none. */
static int socket_of(const char *folder) {
    char path[PATH_SIZE];
    char line[128];
    int socket;
    snprintf(path, sizeof path, "%s/mc_name", folder);
    read_line(line, sizeof line, path);
    const char *at = strchr(line, '#');
    return at && sscanf(at, "#%d", &socket) == 1 ? socket : -1;
}

static int count_channels(const char *root) {
    int channels = 0;
    int nameless = 0; /* number of controllers with modules but without a socket in their name; with
                         two, channels per socket are unknown */
    for (int c = 0; c < CONTROLLERS_MAX && nameless < 2; c++) {
        char folder[PATH_SIZE / 2];
        bool channel[CHANNELS_MAX] = {false};
        int modules = 0;
        const int length =
            snprintf(folder, sizeof folder, "%s/devices/system/edac/mc/mc%d", root, c);
        if (length < 0 || (size_t)length >= sizeof folder) return 0;
        const int socket = socket_of(folder);
        if (socket > 0) continue;
        while (modules < MODULES_MAX && mark_channel(channel, folder, modules)) modules++;
        nameless += socket < 0 && modules > 0;
        for (int n = 0; n < CHANNELS_MAX; n++) channels += channel[n];
    }
    return nameless < 2 ? channels : 0;
}

struct system_memory system_memory(const char *root) {
    return (struct system_memory){.transfers = slowest_module(root),
                                  .channels = count_channels(root)};
}
