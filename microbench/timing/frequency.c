#include "microbench/timing/frequency.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char frequency_processors[] = "/sys/devices/system/cpu";

struct frequency frequency_open(const char *folder, int processor) {
    char path[512];
    if (processor < 0) return (struct frequency){0};
    snprintf(path, sizeof path, "%s/cpu%d/cpufreq/scaling_cur_freq", folder, processor);
    return (struct frequency){open(path, O_RDONLY | O_CLOEXEC) + 1};
}

double frequency_read(const struct frequency *frequency) {
    char text[32];
    if (frequency->descriptor == 0) return 0;
    const ssize_t length = pread(frequency->descriptor - 1, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = '\0';
    const double kilohertz = strtod(text, NULL);
    return kilohertz > 0 && kilohertz < 1e9 ? 1e3 * kilohertz : 0;
}

void frequency_close(const struct frequency *frequency) {
    if (frequency->descriptor > 0) close(frequency->descriptor - 1);
}
