/** System information from files below /proc and /sys. Unknown values are negative, 0 or empty. */
#ifndef ROOFLINE_TIMING_SYSTEM_H
#define ROOFLINE_TIMING_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ticks since the start of the system, of all processors together. */
struct system_times {
    uint64_t all;
    uint64_t stolen; /**< that the host of a virtual machine gave to others */
};

struct system_times system_times(void);

/** The load average of a minute, and the threads that want a processor now, without the calling
 * one. */
void system_load(double *average, int *running);

/** Bytes of a transparent huge page. */
int64_t system_huge_page_bytes(void);

/** `always`, `madvise` or `never`. */
void system_huge_page_setting(char *out, size_t size);

/** Returns whether the processor reports a hypervisor. */
bool system_is_virtual(void);

/** The memory of a socket; 0: not known. */
struct system_memory {
    int64_t transfers; /**< in a second, of one channel: of the slowest module, as it is configured
                        */
    int channels;      /**< of the first socket's controllers that have a module */
};

/**
 * From the memory controllers that the kernel watches (EDAC), and the tables of the firmware
 * (SMBIOS type 17), which root may read and most virtual machines lack.
 *
 * @param root  the folder that is called `/sys`
 */
struct system_memory system_memory(const char *root);

/** Pure: the configured transfers in a second of a module, from its SMBIOS structure; 0: not told,
 * or there is no module. */
int64_t system_module_transfers(const unsigned char *structure, size_t bytes);

#endif
