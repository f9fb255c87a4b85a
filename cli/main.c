#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/providers.h"

/**
 * Opens standard descriptors that are closed, so that no file opened later gets the number of one
 * and receives its output. Opens them in the wrong direction, so that using them still fails.
 */
static void keep_standard_descriptors(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)!open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    }
}

/**
 * Sets environment variables for hwloc that are not set: no messages, and no device plugins, which
 * took two of the eight milliseconds of reading the machine.
 */
static void prepare_hwloc(void) {
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    setenv(
        "HWLOC_PLUGINS_BLACKLIST",
        "hwloc_cuda.so,hwloc_gl.so,hwloc_levelzero.so,hwloc_nvml.so,hwloc_opencl.so,hwloc_pci.so,hwloc_rsmi.so",
        0);
}

/**
 * Ends the process. If address space is limited, skips the destructors of libraries: OpenBLAS
 * threads that get no memory retry forever, and the destructor of OpenBLAS waits for them.
 */
static int end(int status) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return status;
    fflush(NULL);
    _exit(status);
}

int main(int count, char *arguments[]) {
    keep_standard_descriptors();
    if (count == 2 && strcmp(arguments[1], tune_serving) == 0)
        return tcplan_tune_serve() ? EXIT_DONE : EXIT_USAGE;
    if (count == 2 && strcmp(arguments[1], blas_serving) == 0)
        return tcplan_blas_serve() ? EXIT_DONE : EXIT_USAGE;
    if (count > 0) program_set(arguments[0]);
    cleanup_install();
    prepare_hwloc();
    return end((int)command_line_run(count, arguments));
}
