#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "roofline/timing/system.h"
#include "roofline/tuning/peak.h"

/* Theoretical peaks in table III of "Autotuning Benchmarking Techniques: A Roofline Model Case
 * Study", for one socket. */
static void theoretical_peaks_are_those_of_the_paper(void **state) {
    (void)state;
    static const struct {
        double ghz;
        int cores, bits, units;
        double mega_transfers;
        int channels;
        double gflops, gbytes;
    } system[] = {{2.2, 12, 256, 2, 2400, 4, 422.4, 76.8},
                  {2.1, 18, 256, 2, 2400, 4, 604.8, 76.8},
                  {2.6, 14, 512, 2, 2666, 6, 1164.8, 127.968},
                  {2.4, 20, 512, 2, 2666, 6, 1536, 127.968}};
    for (size_t s = 0; s < sizeof system / sizeof *system; s++) {
        struct tcplan_peak peak = {.clock_hz = 1e9 * system[s].ghz,
                                   .vector_bits = system[s].bits,
                                   .fma_units = system[s].units,
                                   .memory_transfers = 1e6 * system[s].mega_transfers,
                                   .memory_channels = system[s].channels};
        peak_compute(&peak);
        assert_true(fabs(peak.core_gflops * system[s].cores - system[s].gflops) <
                    1e-9 * system[s].gflops);
        assert_true(fabs(peak.socket_gbytes - system[s].gbytes) < 1e-9 * system[s].gbytes);
    }
}

static void unknown_values_give_no_peak(void **state) {
    (void)state;
    struct tcplan_peak peak = {.clock_hz = 2e9, .vector_bits = 512, .memory_transfers = 2e9};
    peak_compute(&peak);
    assert_true(peak.core_gflops == 0 && peak.socket_gbytes == 0);
}

static void a_data_sheet_overrides_measurements(void **state) {
    (void)state;
    const struct tcplan_data_sheet sheet = {.clock_hz = 2200000000,
                                            .fma_units = 1,
                                            .memory_transfers = 2400000000,
                                            .memory_channels = 4};
    const struct tcplan_peak peak = peak_find(&sheet);
    assert_true(peak.clock_hz == 2.2e9 && peak.clock_origin == TCPLAN_ORIGIN_DATA_SHEET);
    assert_true(peak.fma_units == 1 && peak.units_origin == TCPLAN_ORIGIN_DATA_SHEET);
    assert_true(fabs(peak.socket_gbytes - 76.8) < 1e-9 &&
                peak.memory_origin == TCPLAN_ORIGIN_DATA_SHEET);
    assert_true(fabs(peak.core_gflops - 2.2 * 2 * peak.vector_bits / 64) < 1e-9);
}

/* Measures the number of FMA units, which depends on the machine. */
static void this_machines_units_are_measured(void **state) {
    (void)state;
    const struct tcplan_peak peak = peak_find(&(struct tcplan_data_sheet){0});
    assert_int_equal(peak.clock_origin, TCPLAN_ORIGIN_MEASURED);
    if (!(peak.clock_hz > 0) || peak.vector_bits == 0) skip();
    assert_true(peak.fma_units >= 1 && peak.fma_units <= 4);
    assert_int_equal(peak.units_origin, TCPLAN_ORIGIN_MEASURED);
    assert_true(peak.core_gflops > 0);
}

static char root[] = "/tmp/tcplan-sys-XXXXXX";

static void write_file(const char *name, const void *data, size_t bytes) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text) {
    write_file(name, text, strlen(text));
}

static void remove_root(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
    memcpy(root + strlen(root) - 6, "XXXXXX", 6);
}

/** Writes an SMBIOS structure of type 17, which describes a memory module. */
static void write_module(const char *name, int megabytes, int speed, int configured) {
    unsigned char module[40] = {17, 40};
    module[0x0c] = (unsigned char)(megabytes & 255);
    module[0x0d] = (unsigned char)(megabytes >> 8);
    module[0x15] = (unsigned char)(speed & 255);
    module[0x16] = (unsigned char)(speed >> 8);
    module[0x20] = (unsigned char)(configured & 255);
    module[0x21] = (unsigned char)(configured >> 8);
    write_file(name, module, sizeof module);
}

static void write_controller(int controller, const char *name, int channels) {
    char path[128], text[64];
    snprintf(path, sizeof path, "devices/system/edac/mc/mc%d/mc_name", controller);
    write_text(path, name);
    for (int c = 0; c <= channels; c++) { /* one more slot than modules: the last is empty */
        snprintf(path, sizeof path, "devices/system/edac/mc/mc%d/dimm%d/dimm_location", controller,
                 c);
        snprintf(text, sizeof text, "channel %d slot 0 \n", c);
        write_text(path, text);
        snprintf(path, sizeof path, "devices/system/edac/mc/mc%d/dimm%d/size", controller, c);
        write_text(path, c < channels ? "16384\n" : "0\n");
    }
}

static void channels_are_counted_on_one_socket_and_the_slowest_module_counts(void **state) {
    (void)state;
    assert_non_null(mkdtemp(root));
    write_module("firmware/dmi/entries/17-0/raw", 16384, 3200, 2933);
    write_module("firmware/dmi/entries/17-1/raw", 16384, 3200, 2666);
    write_module("firmware/dmi/entries/17-2/raw", 0, 800, 800); /* an empty slot */
    for (int c = 0; c < 4; c++)
        write_controller(c, c < 2 ? "Skylake Socket#0 IMC#0\n" : "Skylake Socket#1 IMC#0\n", 3);
    const struct system_memory memory = system_memory(root);
    assert_int_equal(memory.transfers, 2666000000);
    assert_int_equal(memory.channels, 6);
    remove_root();
}

static void several_controllers_without_a_socket_are_ignored(void **state) {
    (void)state;
    assert_non_null(mkdtemp(root));
    write_controller(0, "F17h\n", 2);
    assert_int_equal(system_memory(root).channels, 2);
    assert_int_equal(system_memory(root).transfers, 0);
    write_controller(1, "F17h\n", 2);
    assert_int_equal(system_memory(root).channels, 0);
    remove_root();
    assert_int_equal(system_memory("/nowhere").channels, 0);
}

static void structures_of_firmware_are_read_within_their_length(void **state) {
    (void)state;
    unsigned char module[40] = {17, 40};
    module[0x0c] = 1;
    module[0x15] = 0x80;
    module[0x16] = 0x0c; /* 3200 */
    assert_int_equal(system_module_transfers(module, sizeof module), 3200000000);
    module[0x20] = module[0x21] = 0xff; /* unknown */
    assert_int_equal(system_module_transfers(module, sizeof module), 3200000000);
    for (size_t bytes = 0; bytes < sizeof module; bytes++) {
        unsigned char *part = malloc(bytes + 1); /* an exact allocation lets the sanitizer detect
                                                    reads beyond its end */
        assert_non_null(part);
        memcpy(part, module, bytes);
        const int64_t transfers = system_module_transfers(part, bytes);
        assert_int_equal(transfers, bytes >= 0x17 ? 3200000000 : 0);
        free(part);
    }
    module[1] = 0x15; /* length of an older structure, which ends before these bytes */
    assert_int_equal(system_module_transfers(module, sizeof module), 0);
    module[0] = 16;
    assert_int_equal(system_module_transfers(module, sizeof module), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theoretical_peaks_are_those_of_the_paper),
        cmocka_unit_test(unknown_values_give_no_peak),
        cmocka_unit_test(a_data_sheet_overrides_measurements),
        cmocka_unit_test(this_machines_units_are_measured),
        cmocka_unit_test(channels_are_counted_on_one_socket_and_the_slowest_module_counts),
        cmocka_unit_test(several_controllers_without_a_socket_are_ignored),
        cmocka_unit_test(structures_of_firmware_are_read_within_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
