#include "microbench/counters/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/counters/pmu.h"
#include "microbench/counters/processor.h"

enum { LINE_BYTES = 64, CPUINFO_BYTES = 8192 };

/* System calls. */

static int open_live(const struct perf_event_attr *attr, pid_t process, int cpu) {
    return (int)syscall(SYS_perf_event_open, attr, process, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int control_live(int descriptor, unsigned long request) {
    return ioctl(descriptor, request, 0);
}

const struct perf_system perf_live = {
    .root = "", .open = open_live, .control = control_live, .read = read, .close = close};

/* The counter source. */

struct perf {
    const struct perf_system *system;
    int descriptor[COUNTER_MAX_EVENTS];
};

static enum tcplan_status control_all(struct counter_source *source, unsigned long request,
                                      struct tcplan_error *error) {
    const struct perf *perf = source->state;
    for (int e = 0; e < source->count; e++) {
        if (perf->system->control(perf->descriptor[e], request) == 0) continue;
        return error_set(error, TCPLAN_ENVIRONMENT, "the counter %s cannot be %s: %s",
                         source->event[e].name,
                         request == PERF_EVENT_IOC_ENABLE ? "started" : "stopped", strerror(errno));
    }
    return TCPLAN_OK;
}

static enum tcplan_status start(struct counter_source *source, struct tcplan_error *error) {
    return control_all(source, PERF_EVENT_IOC_ENABLE, error);
}

static enum tcplan_status stop(struct counter_source *source, struct tcplan_error *error) {
    return control_all(source, PERF_EVENT_IOC_DISABLE, error);
}

static enum tcplan_status read_all(struct counter_source *source, struct counter_reading *out,
                                   struct tcplan_error *error) {
    const struct perf *perf = source->state;
    for (int e = 0; e < source->count; e++) {
        uint64_t number[3]; /* value, time enabled and time running, in the order of read_format */
        const ssize_t length = perf->system->read(perf->descriptor[e], number, sizeof number);
        if (length != (ssize_t)sizeof number) {
            return error_set(error, TCPLAN_ENVIRONMENT, "the counter %s cannot be read: %s",
                             source->event[e].name,
                             length < 0 ? strerror(errno)
                                        : "the kernel has not scheduled it on a processor");
        }
        out[e] = (struct counter_reading){
            .value = number[0], .enabled_ns = number[1], .running_ns = number[2]};
    }
    return TCPLAN_OK;
}

static void close_all(struct counter_source *source) {
    struct perf *perf = source->state;
    for (int e = 0; e < source->count; e++) perf->system->close(perf->descriptor[e]);
    base_free(perf);
}

static const struct counter_source_class class = {
    .name = "perf_event", .start = start, .read = read_all, .stop = stop, .close = close_all};

/* Opening. */

/** State of opening the events of a process. */
struct opening {
    struct counter_source *source;
    const struct counter_target *target;
    const struct perf_system *system;
};

/** Explains why an event could not be opened, and how to change that. */
static void explain(const struct opening *opening, enum counter_quantity quantity,
                    const char *event, int number) {
    char *out = opening->source->why_not[quantity];
    char level[16];
    if (number == EACCES || number == EPERM) {
        const bool is_known = pmu_read_file(level, sizeof level, opening->system->root,
                                            "/proc/sys/kernel/perf_event_paranoid");
        const bool is_machine = (1U << quantity & COUNTER_OF_MACHINE) != 0;
        snprintf(
            out, COUNTER_REASON,
            "no permission for %s: kernel.perf_event_paranoid is %s, and has to be %s (sysctl -w kernel.perf_event_paranoid=%d as root), or the "
            "program needs the capability CAP_PERFMON",
            event, is_known ? level : "not known", is_machine ? "0 or less" : "2 or less",
            is_machine ? 0 : 2);
    } else if (number == ENOENT || number == ENODEV || number == EOPNOTSUPP) {
        snprintf(out, COUNTER_REASON,
                 "this processor does not offer %s: most virtual machines have no counters", event);
    } else if (number == ENOSYS) {
        snprintf(out, COUNTER_REASON, "this kernel has no perf_event");
    } else if (number == EMFILE || number == ENFILE) {
        snprintf(out, COUNTER_REASON, "too many open files for %s (ulimit -n)", event);
    } else {
        snprintf(out, COUNTER_REASON, "%s cannot be opened: %s", event, strerror(number));
    }
}

/** Opens an event; on failure it records the reason, returns false, and the quantity is
 * unavailable. */
static bool add(struct opening *opening, const struct counter_event *event,
                struct perf_event_attr *attr, int cpu) {
    struct counter_source *source = opening->source;
    struct perf *perf = source->state;
    const bool of_machine = cpu >= 0;
    if (source->count == COUNTER_MAX_EVENTS) {
        snprintf(source->why_not[event->quantity], COUNTER_REASON, "more than %d counters",
                 COUNTER_MAX_EVENTS);
        return false;
    }
    attr->size = sizeof *attr;
    attr->disabled = 1;
    attr->inherit = !of_machine && opening->target->descendants;
    attr->enable_on_exec = !of_machine && opening->target->from_exec;
    attr->exclude_kernel = attr->exclude_hv =
        !of_machine; /* counting only user code needs fewer rights */
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const int descriptor =
        opening->system->open(attr, of_machine ? -1 : opening->target->process, cpu);
    if (descriptor < 0) {
        explain(opening, event->quantity, event->name, errno);
        return false;
    }
    perf->descriptor[source->count] = descriptor;
    source->event[source->count++] = *event;
    return true;
}

/** Closes the events of a quantity, because an incomplete sum is useless. */
static void drop(struct opening *opening, enum counter_quantity quantity) {
    struct counter_source *source = opening->source;
    struct perf *perf = source->state;
    int kept = 0;
    for (int e = 0; e < source->count; e++) {
        if (source->event[e].quantity == quantity) {
            perf->system->close(perf->descriptor[e]);
            continue;
        }
        source->event[kept] = source->event[e];
        perf->descriptor[kept++] = perf->descriptor[e];
    }
    source->count = kept;
}

/** Finds the PMU of the cores; if there are two kinds of cores, that of the fast ones. */
static bool find_core(struct pmu *out, const char *root) {
    if (pmu_find(out, root, "cpu") || pmu_find(out, root, "cpu_core")) return true;
    *out = (struct pmu){0};
    return pmu_next(out, root, "armv8_pmuv3") || pmu_next(out, root, "armv8_");
}

static bool has_core(struct opening *opening, struct pmu *core, enum counter_quantity quantity) {
    if (find_core(core, opening->system->root)) return true;
    snprintf(
        opening->source->why_not[quantity], COUNTER_REASON,
        "the kernel offers no counters of this processor's cores (no cpu, cpu_core or armv8_pmuv3 in /sys/bus/event_source/devices): most virtual "
        "machines have none");
    return false;
}

static void open_flops(struct opening *opening) {
    char text[CPUINFO_BYTES];
    struct pmu core;
    if (!has_core(opening, &core, COUNTER_FLOPS)) return;
    pmu_read_file(text, sizeof text, opening->system->root, "/proc/cpuinfo");
    const struct processor processor = processor_read(text);
    const struct processor_events *events = processor_flops(&processor);
    if (!events) {
        snprintf(
            opening->source->why_not[COUNTER_FLOPS], COUNTER_REASON,
            "the events that count operations are not known for this processor (%s, family %d, model 0x%x)",
            *processor.vendor ? processor.vendor : "no manufacturer told",
            (unsigned)processor.family, (unsigned)processor.model);
        return;
    }
    for (int e = 0; e < PROCESSOR_MAX_EVENTS && events->event[e].weight > 0; e++) {
        const struct processor_event *known = &events->event[e];
        struct counter_event event = {
            .quantity = COUNTER_FLOPS, .weight = known->weight, .vector_bits = known->vector_bits};
        struct perf_event_attr attr = {.type = core.type, .config = known->config};
        snprintf(event.name, sizeof event.name, "%s", known->name);
        if (add(opening, &event, &attr, -1)) continue;
        drop(opening, COUNTER_FLOPS);
        return;
    }
}

/** Opens the event of reads that missed the last cache if the kernel lists one. Otherwise it
 * opens the kernel's generic event, which on AMD counts at L2. */
static void open_misses(struct opening *opening) {
    char text[CPUINFO_BYTES];
    struct counter_event event = {
        .quantity = COUNTER_MISSES, .weight = LINE_BYTES, .name = "cache-misses"};
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_CACHE_MISSES};
    struct pmu core;
    struct pmu_event listed;
    double scale;
    if (!has_core(opening, &core, COUNTER_MISSES)) return;
    pmu_read_file(text, sizeof text, opening->system->root, "/proc/cpuinfo");
    if (strcmp(processor_read(text).vendor, "AuthenticAMD") == 0) {
        snprintf(
            opening->source->why_not[COUNTER_MISSES], COUNTER_REASON,
            "the cores of this processor count misses of their second cache, not of the last one");
        return;
    }
    if (strcmp(core.name, "cpu_core") == 0)
        attr.config |= (uint64_t)core.type << 32; /* selects the core type if there are two */
    if (pmu_listed(&listed, &scale, &core, "ll_cache_miss_rd")) {
        snprintf(event.name, sizeof event.name, "ll_cache_miss_rd");
        attr = (struct perf_event_attr){.type = core.type, .config = listed.config};
    }
    add(opening, &event, &attr, -1);
}

/** Opens a generic kernel event of the cores. */
static void open_general(struct opening *opening, enum counter_quantity quantity, const char *name,
                         uint64_t number) {
    struct counter_event event = {.quantity = quantity, .weight = 1};
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .config = number};
    struct pmu core;
    if (!has_core(opening, &core, quantity)) return;
    snprintf(event.name, sizeof event.name, "%s", name);
    if (strcmp(core.name, "cpu_core") == 0)
        attr.config |= (uint64_t)core.type << 32; /* see open_misses() */
    add(opening, &event, &attr, -1);
}

/** The counters of a kind of memory controller. */
struct controller {
    const char *prefix;   /* prefix of the names of its units */
    const char *event[2]; /* names of the events for bytes read and written */
    const char *words[2]; /* encodings of the events, if the kernel does not list their names; NULL:
                             it does */
};

static const struct controller controllers[] = {
    {"uncore_imc_free_running", {"data_read", "data_write"}, {NULL, NULL}}, /* Intel, client */
    {"uncore_imc", {"cas_count_read", "cas_count_write"}, {NULL, NULL}},    /* Intel, servers */
    {"uncore_imc", {"data_reads", "data_writes"}, {NULL, NULL}}, /* Intel, older clients */
    {"amd_umc", {NULL, NULL}, {"event=0x0a,rdwrmask=0x1", "event=0x0a,rdwrmask=0x2"}}, /* AMD since
                                                                                          Zen 4 */
};

/** Opens the counters of bytes read, or written, on every unit of a kind. Returns their number;
 * negative if one could not be opened. */
static int open_controllers(struct opening *opening, const struct controller *kind,
                            enum counter_quantity quantity) {
    const int direction = quantity == COUNTER_WRITTEN;
    struct pmu pmu = {0};
    int opened = 0;
    while (pmu_next(&pmu, opening->system->root, kind->prefix)) {
        struct pmu_event event;
        double scale = 0;
        const char *words = kind->words[direction];
        const bool is_there = words ? pmu_encode(&event, &pmu, words)
                                    : pmu_listed(&event, &scale, &pmu, kind->event[direction]);
        for (int c = 0; is_there && c < pmu.cpu_count; c++) {
            struct counter_event counter = {.quantity = quantity,
                                            .weight = scale > 0 ? scale : LINE_BYTES};
            struct perf_event_attr attr = {.type = pmu.type,
                                           .config = event.config,
                                           .config1 = event.config1,
                                           .config2 = event.config2};
            snprintf(counter.name, sizeof counter.name, "%.30s/%.30s", pmu.name,
                     words ? words : kind->event[direction]);
            if (!add(opening, &counter, &attr, pmu.cpu[c])) return -1;
            opened++;
        }
    }
    return opened;
}

static void open_memory(struct opening *opening, enum counter_quantity quantity) {
    for (size_t k = 0; k < sizeof controllers / sizeof *controllers; k++) {
        const int opened = open_controllers(opening, &controllers[k], quantity);
        if (opened < 0) drop(opening, quantity);
        if (opened != 0) return;
    }
    snprintf(
        opening->source->why_not[quantity], COUNTER_REASON,
        "the kernel offers no counters of the memory controllers (no uncore_imc or amd_umc in /sys/bus/event_source/devices)");
}

/* Named events. */

/** Generic events of perf. Those of the kernel itself exist on every machine. */
static const struct generic_event {
    const char *name;
    uint32_t type;
    uint64_t config;
} generic_events[] = {
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

static void set_encoded(struct perf_event_attr *attr, const struct pmu *pmu,
                        const struct pmu_event *event) {
    attr->type = pmu->type;
    attr->config = event->config;
    attr->config1 = event->config1;
    attr->config2 = event->config2;
}

/** Encodes `PMU/WORDS/` or `PMU/EVENT/`; false if the text has another form, or is unknown. */
static bool encode_of_pmu(struct perf_event_attr *attr, const char *root, const char *name) {
    char pmu_name[COUNTER_NAME], words[COUNTER_NAME];
    struct pmu pmu;
    struct pmu_event event;
    double scale;
    const size_t first = strcspn(name, "/"), length = strlen(name);
    if (first == 0 || first + 2 >= length || name[length - 1] != '/') return false;
    snprintf(pmu_name, sizeof pmu_name, "%.*s", (int)first, name);
    snprintf(words, sizeof words, "%.*s", (int)(length - first - 2), name + first + 1);
    if (strchr(words, '/') || !pmu_find(&pmu, root, pmu_name)) return false;
    if (!pmu_listed(&event, &scale, &pmu, words) && !pmu_encode(&event, &pmu, words)) return false;
    set_encoded(attr, &pmu, &event);
    return true;
}

/** Encodes `r` and hexadecimal digits: an event of the cores in the manufacturer's encoding. */
static bool encode_raw(struct perf_event_attr *attr, const struct pmu *core, const char *name) {
    const size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");
    if (*name != 'r' || digits == 0 || digits > 16 || name[1 + digits]) return false;
    attr->type = core->type;
    attr->config = strtoull(name + 1, NULL, 16);
    return true;
}

static void open_named(struct opening *opening, int place) {
    const enum counter_quantity quantity = (enum counter_quantity)(COUNTER_NAMED + place);
    const char *name = opening->target->named[place];
    const char *root = opening->system->root;
    struct counter_event event = {.quantity = quantity, .weight = 1};
    struct perf_event_attr attr = {0};
    struct pmu_event listed;
    struct pmu core = {0};
    double scale;
    snprintf(event.name, sizeof event.name, "%s", name);
    for (size_t g = 0; g < sizeof generic_events / sizeof *generic_events; g++) {
        if (strcmp(name, generic_events[g].name) != 0) continue;
        attr = (struct perf_event_attr){.type = generic_events[g].type,
                                        .config = generic_events[g].config};
        if (attr.type == PERF_TYPE_HARDWARE && !has_core(opening, &core, quantity)) return;
        if (strcmp(core.name, "cpu_core") == 0)
            attr.config |= (uint64_t)core.type << 32; /* selects the core type if there are two */
        add(opening, &event, &attr, -1);
        return;
    }
    if (encode_of_pmu(&attr, root, name)) {
        add(opening, &event, &attr, -1);
        return;
    }
    if (strchr(name, '/')) {
        snprintf(opening->source->why_not[quantity], COUNTER_REASON,
                 "the kernel has no such unit, or the unit has no such event or word (see "
                 "/sys/bus/event_source/devices)");
        return;
    }
    if (!has_core(opening, &core, quantity)) return;
    if (encode_raw(&attr, &core, name)) {
        add(opening, &event, &attr, -1);
    } else if (pmu_listed(&listed, &scale, &core, name)) {
        set_encoded(&attr, &core, &listed);
        add(opening, &event, &attr, -1);
    } else {
        snprintf(opening->source->why_not[quantity], COUNTER_REASON,
                 "%.150s/events lists no event of this name; rNNNN takes the manufacturer's number",
                 core.folder);
    }
}

enum tcplan_status perf_open(struct counter_source **out, const struct counter_target *target,
                             const struct perf_system *system, struct tcplan_error *error) {
    struct counter_source *source = counter_none("");
    struct perf *perf = base_alloc_zero(1, sizeof *perf);
    if (!source || !perf) {
        base_free(perf);
        counter_close(source);
        return error_no_memory(error);
    }
    perf->system = system;
    source->state = perf;
    source->class = &class;
    struct opening opening = {.source = source, .target = target, .system = system};
    if (target->quantities & 1 << COUNTER_FLOPS) open_flops(&opening);
    if (target->quantities & 1 << COUNTER_MISSES) open_misses(&opening);
    if (target->quantities & 1 << COUNTER_READ) open_memory(&opening, COUNTER_READ);
    if (target->quantities & 1 << COUNTER_WRITTEN) open_memory(&opening, COUNTER_WRITTEN);
    if (target->quantities & 1 << COUNTER_CYCLES)
        open_general(&opening, COUNTER_CYCLES, "cycles", PERF_COUNT_HW_CPU_CYCLES);
    if (target->quantities & 1 << COUNTER_INSTRUCTIONS) {
        open_general(&opening, COUNTER_INSTRUCTIONS, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
    }
    for (int n = 0; n < COUNTER_MAX_NAMED; n++) {
        if (target->named[n] && target->quantities & 1U << (COUNTER_NAMED + n))
            open_named(&opening, n);
    }
    *out = source;
    return TCPLAN_OK;
}
