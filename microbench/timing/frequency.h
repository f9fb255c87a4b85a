/**
 * The frequency of a core. From the registers APERF and MPERF of x86 (Intel SDM, volume 3, 15.2) it
 * is the average of a period; cpufreq of Linux reports a present value. Virtual machines have
 * neither.
 */
#ifndef MICROBENCH_FREQUENCY_H
#define MICROBENCH_FREQUENCY_H

#include <stdbool.h>
#include <stdint.h>

/** Counts of the registers: APERF advances with each cycle of the core, MPERF at the constant rate
 * of the time-stamp counter, both only while the core is not idle. */
struct frequency_counts {
    uint64_t actual, constant;
};

/** Zero-initialise before use: such a frequency is not reported. */
struct frequency {
    int descriptor; /**< file of cpufreq plus 1; 0: not reported */
    int registers;  /**< device of the registers plus 1; 0: not readable */
    struct frequency_counts begun;
};

/** Folders of the processors in sysfs, and of the devices of their registers. */
extern const char frequency_processors[], frequency_registers[];

/**
 * Opens the sources of the frequency of a processor that the system has.
 *
 * @param folder     frequency_processors; in tests, a folder of the same structure
 * @param registers  frequency_registers, or another folder
 * @param processor  the system's number
 */
struct frequency frequency_open(const char *folder, const char *registers, int processor);

/** Returns whether frequency_read() can report a frequency. */
bool frequency_is_reported(const struct frequency *frequency);

/** Begins a period, at most a few microseconds before the measured work. */
void frequency_begin(struct frequency *frequency);

/** Returns the frequency in hertz, since frequency_begin() or at present; 0: not reported. It takes
 * a few microseconds. */
double frequency_read(const struct frequency *frequency);

/** Returns the frequency between two readings of the registers; 0 if a register did not advance, or
 * the frequency would exceed ten times that of the counter. */
double frequency_between(struct frequency_counts before, struct frequency_counts after,
                         double counter_hz);

void frequency_close(const struct frequency *frequency);

#endif
