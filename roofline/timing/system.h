/** System information from files in /proc and /sys. Unknown values are negative, 0 or empty. */
#ifndef ROOFLINE_TIMING_SYSTEM_H
#define ROOFLINE_TIMING_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Clock ticks since system start, of all processors together. */
struct system_times {
    uint64_t all;
    uint64_t stolen; /**< ticks that the host of a virtual machine gave to other machines */
};

struct system_times system_times(void);

/** Reads the load average over a minute, and the number of runnable threads without the calling
 * one. */
void system_load(double *average, int *running);

/** Returns the bytes of a transparent huge page. */
int64_t system_huge_page_bytes(void);

/** Writes the system's setting for huge pages: `always`, `madvise` or `never`. */
void system_huge_page_setting(char *out, size_t size);

/** Returns whether the processor reports a hypervisor. */
bool system_is_virtual(void);

/** The memory of a socket; 0: unknown. */
struct system_memory {
    int64_t transfers; /**< configured rate of the slowest module, in transfers per second on
                          each channel */
    int channels;      /**< channels of the first socket that have a module */
};

/**
 * Reads the memory controllers known to the kernel (EDAC) and the tables of the firmware (SMBIOS
 * type 17). The tables can be read by root only, and most virtual machines lack them.
 *
 * @param root  the folder `/sys`
 */
struct system_memory system_memory(const char *root);

/** Returns the configured transfers per second of a module, from its SMBIOS structure; 0 if they
 * are unknown or the slot is empty. Pure. */
int64_t system_module_transfers(const unsigned char *structure, size_t bytes);

#endif
