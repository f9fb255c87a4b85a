/** The frequency of a core as the system reports it (cpufreq of Linux); virtual machines have
 * none. */
#ifndef MICROBENCH_FREQUENCY_H
#define MICROBENCH_FREQUENCY_H

/** Zero-initialise before use: such a frequency is not reported. */
struct frequency {
    int descriptor; /**< file of the frequency plus 1; 0: not reported */
};

/** Folder of the processors in sysfs. */
extern const char frequency_processors[];

/**
 * Opens the frequency of a processor, if the system reports it.
 *
 * @param folder     frequency_processors; in tests, a folder of the same structure
 * @param processor  the system's number
 */
struct frequency frequency_open(const char *folder, int processor);

/** Returns the present frequency in hertz; 0: not reported. It takes a few microseconds. */
double frequency_read(const struct frequency *frequency);

void frequency_close(const struct frequency *frequency);

#endif
