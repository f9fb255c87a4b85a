#include "microbench/timing/frequency.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "microbench/timing/ticks.h"

/** Numbers of the registers, which are their offsets in the device. */
enum { MPERF = 0xe7, APERF = 0xe8 };

#define HIGHEST_RATIO 10.0

const char frequency_processors[] = "/sys/devices/system/cpu";
const char frequency_registers[] = "/dev/cpu";

static bool read_registers(struct frequency_counts *out, const struct frequency *frequency) {
    const int device = frequency->registers - 1;
    return frequency->registers > 0 &&
           pread(device, &out->actual, sizeof out->actual, APERF) == sizeof out->actual &&
           pread(device, &out->constant, sizeof out->constant, MPERF) == sizeof out->constant;
}

struct frequency frequency_open(const char *folder, const char *registers, int processor) {
    struct frequency out = {0};
    char path[512];
    if (processor < 0) return out;
    snprintf(path, sizeof path, "%s/cpu%d/cpufreq/scaling_cur_freq", folder, processor);
    out.descriptor = open(path, O_RDONLY | O_CLOEXEC) + 1;
    snprintf(path, sizeof path, "%s/%d/msr", registers, processor);
    out.registers = open(path, O_RDONLY | O_CLOEXEC) + 1;
    if (read_registers(&out.begun, &out)) return out;
    if (out.registers > 0) close(out.registers - 1);
    out.registers = 0;
    return out;
}

bool frequency_is_reported(const struct frequency *frequency) {
    return frequency->descriptor > 0 || frequency->registers > 0;
}

void frequency_begin(struct frequency *frequency) {
    if (!read_registers(&frequency->begun, frequency))
        frequency->begun = (struct frequency_counts){0};
}

double frequency_between(struct frequency_counts before, struct frequency_counts after,
                         double counter_hz) {
    /* the differences are right even if a register begins again at 0 */
    const double actual = (double)(after.actual - before.actual),
                 constant = (double)(after.constant - before.constant);
    return constant > 0 && actual <= HIGHEST_RATIO * constant ? counter_hz * actual / constant : 0;
}

double frequency_read(const struct frequency *frequency) {
    char text[32];
    struct frequency_counts now;
    if (read_registers(&now, frequency)) {
        const double hz = frequency_between(frequency->begun, now, ticks_hz());
        if (hz > 0) return hz;
    }
    if (frequency->descriptor == 0) return 0;
    const ssize_t length = pread(frequency->descriptor - 1, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = '\0';
    const double kilohertz = strtod(text, NULL);
    return kilohertz > 0 && kilohertz < 1e9 ? 1e3 * kilohertz : 0;
}

void frequency_close(const struct frequency *frequency) {
    if (frequency->descriptor > 0) close(frequency->descriptor - 1);
    if (frequency->registers > 0) close(frequency->registers - 1);
}
