/*
 * A library reports the core type whose kernels it selected. The table below lists the vector width
 * that the kernels of each core type use, to be compared with the processor's.
 *
 * A name alone proves nothing: double-pumped 512-bit units gain nothing over 256 bits, and an
 * unknown value of the variable silently selects another core type. Therefore a better core type is
 * recommended only after trials, which check the name that the library reports. Names: OpenBLAS,
 * driver/others/dynamic.c; BLIS, frame/base/bli_arch.c.
 */
#include "microbench/providers/blas_cores.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "microbench/providers/providers.h"

/** Every tuned dgemm far exceeds this share of the FMA peak; reference BLAS stays below a tenth. */
#define SLOW_SHARE 0.33

/** Below this share, another core type of the same width is worth a trial. */
#define SUSPECT_SHARE 0.55

struct core_type {
    const char *name;
    enum vector_level level;
    bool is_candidate; /**< whether it is worth a trial; of several core types with the same
                          kernels, only one is */
};

struct core_family {
    const char *library;
    const char *variable;
    bool takes_numbers; /**< whether some builds need a number in the variable instead of a name */
    const struct core_type *type;
};

/* Core types of OpenBLAS, most promising first. */

static const struct core_type openblas_types[] = {
    {"SapphireRapids", VECTORS_512_BF16, true},
    {"Cooperlake", VECTORS_512_BF16, true},
    {"SkylakeX", VECTORS_512, true},
    {"Haswell", VECTORS_256_FMA, true},
    {"Zen", VECTORS_256_FMA, true},
    {"Excavator", VECTORS_256_FMA, false},
    {"Steamroller", VECTORS_256_FMA, false},
    {"Piledriver", VECTORS_256_FMA, false},
    {"Sandybridge", VECTORS_256, true},
    {"Bulldozer", VECTORS_256, false},
    {"Nehalem", VECTORS_128, true},
    {"Penryn", VECTORS_128, false},
    {"Dunnington", VECTORS_128, false},
    {"Core2", VECTORS_128, false},
    {"Prescott", VECTORS_128, false},
    {"Northwood", VECTORS_128, false},
    {"Banias", VECTORS_128, false},
    {"Coppermine", VECTORS_128, false},
    {"Katmai", VECTORS_128, false},
    {"Atom", VECTORS_128, false},
    {"Nano", VECTORS_128, false},
    {"Athlon", VECTORS_128, false},
    {"Opteron", VECTORS_128, false},
    {"Opteron_SSE3", VECTORS_128, false},
    {"Barcelona", VECTORS_128, false},
    {"Bobcat", VECTORS_128, false},
    {0},
};

static const struct core_type blis_types[] = {
    {"zen5", VECTORS_512_BF16, true},
    {"zen4", VECTORS_512_BF16, true},
    {"skx", VECTORS_512, true},
    {"zen3", VECTORS_256_FMA, true},
    {"haswell", VECTORS_256_FMA, true},
    {"zen2", VECTORS_256_FMA, false},
    {"zen", VECTORS_256_FMA, false},
    {"excavator", VECTORS_256_FMA, false},
    {"steamroller", VECTORS_256_FMA, false},
    {"piledriver", VECTORS_256_FMA, false},
    {"sandybridge", VECTORS_256, true},
    {"bulldozer", VECTORS_256, false},
    {"penryn", VECTORS_128, false},
    {"generic", VECTORS_128, false},
    {0},
};

static const struct core_family families[] = {
    {"OpenBLAS", "OPENBLAS_CORETYPE", false, openblas_types},
    {"BLIS", "BLIS_ARCH_TYPE", true, blis_types},
    {0},
};

static const struct core_family *family_of(const struct tcplan_provider_info *is) {
    const struct core_family *family = families;
    while (family->library && (!is->name || strcmp(family->library, is->name) != 0)) family++;
    return family->library ? family : NULL;
}

static enum vector_level level_of(const struct core_family *family, const char *core) {
    const struct core_type *type = family ? family->type : NULL;
    while (type && type->name && (!core || strcasecmp(type->name, core) != 0)) type++;
    return type ? type->level : VECTORS_UNKNOWN; /* the last entry of the table also has the level
                                                    VECTORS_UNKNOWN */
}

enum vector_level vector_level_here(void) {
#if defined(__x86_64__)
    const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (fused && wide) return __builtin_cpu_supports("avx512bf16") ? VECTORS_512_BF16 : VECTORS_512;
    if (fused) return VECTORS_256_FMA;
    return __builtin_cpu_supports("avx") ? VECTORS_256 : VECTORS_128;
#else
    return VECTORS_UNKNOWN;
#endif
}

struct core_facts blas_cores_facts(enum tcplan_provider provider) {
    struct core_facts facts = {.processor = vector_level_here()};
    if (provider >= TCPLAN_PROVIDER_FILE_1) facts.opened_as = tcplan_provider_name(provider);
    if (!tcplan_provider_info(&facts.is, provider)) facts.is = (struct tcplan_provider_info){0};
    return facts;
}

const char *tcplan_blas_variable(enum tcplan_provider provider) {
    const struct core_facts facts = blas_cores_facts(provider);
    const struct core_family *family = family_of(&facts.is);
    return family ? family->variable : NULL;
}

/* Trials. */

/** Returns whether the kernels use narrower vectors than the processor has. Levels beyond
 * VECTORS_512 add no arithmetic that gemm uses. */
static bool is_narrow(const struct core_facts *facts) {
    const enum vector_level core = level_of(family_of(&facts->is), facts->is.core);
    return core != VECTORS_UNKNOWN && core < facts->processor && core < VECTORS_512;
}

bool blas_cores_are_suspect(const struct core_facts *facts, const struct tcplan_core_trial *present,
                            double peak_gflops) {
    return is_narrow(facts) || *present->wrong || present->gflops < SUSPECT_SHARE * peak_gflops;
}

/** Returns the number that this build of BLIS gives to a core type; its table ends with
 * `generic`. Negative: the core type is not in the table. */
static int number_of(enum tcplan_provider provider, const char *core) {
    const struct provider *library = provider_of(provider);
    provider_routine *routine =
        library->symbol ? library->symbol(provider, "bli_arch_string") : NULL;
    const char *(*name_of)(int);
    if (!routine) return -1;
    memcpy(&name_of, &routine, sizeof name_of);
    for (int number = 0;; number++) {
        const char *name = name_of(number);
        if (!name || strcmp(name, core) == 0) return name ? number : -1;
        if (strcmp(name, "generic") == 0) return -1;
    }
}

int blas_cores_candidates(struct core_candidate out[CORE_CANDIDATES],
                          enum tcplan_provider provider) {
    const struct core_facts facts = blas_cores_facts(provider);
    const struct core_family *family = family_of(&facts.is);
    int count = 0;
    for (const struct core_type *type = family ? family->type : NULL;
         type && type->name && count < CORE_CANDIDATES; type++) {
        const bool runs = type->is_candidate && type->level <= facts.processor;
        if (!runs || (facts.is.core && strcasecmp(facts.is.core, type->name) == 0)) continue;
        struct core_candidate candidate = {.core = type->name};
        const int number = family->takes_numbers ? number_of(provider, type->name) : -1;
        if (number >= 0) snprintf(candidate.setting[0], TCPLAN_CORE_NAME, "%d", number);
        snprintf(candidate.setting[number >= 0], TCPLAN_CORE_NAME, "%s", type->name);
        out[count++] = candidate;
    }
    return count;
}

uint64_t blas_cores_file(enum tcplan_provider provider) {
    const struct core_facts facts = blas_cores_facts(provider);
    const struct provider *library = provider_of(provider);
    provider_routine *routine = library->symbol ? library->symbol(provider, "dgemm_") : NULL;
    void *address;
    Dl_info info = {0};
    struct stat status = {0};
    memcpy(&address, &routine, sizeof address);
    if (routine && dladdr(address, &info) == 0) info = (Dl_info){0};
    if (info.dli_fname) (void)stat(info.dli_fname, &status);
    uint64_t hash = hash_text(facts.is.name ? facts.is.name : "");
    hash = hash_add_number(hash, hash_text(facts.is.version ? facts.is.version : ""));
    hash = hash_add_number(hash, hash_text(info.dli_fname ? info.dli_fname : ""));
    hash = hash_add_number(hash, (uint64_t)status.st_size);
    return hash_spread(hash_add_number(hash, (uint64_t)status.st_mtime));
}

static const struct tcplan_core_trial *trial_of(const struct tcplan_blas_trials *trials,
                                                const char *core) {
    for (int t = 0; trials && core && t < trials->count; t++) {
        if (strcmp(trials->trial[t].core, core) == 0) return &trials->trial[t];
    }
    return NULL;
}

bool tcplan_blas_is_tried(const struct tcplan_blas_trials *trials, enum tcplan_provider provider) {
    const struct core_facts facts = blas_cores_facts(provider);
    return trial_of(trials, facts.is.core ? facts.is.core : "") != NULL;
}

/* Advice. */

/** Returns the fastest core type with correct results that a setting selects; NULL: none. */
static const struct tcplan_core_trial *best_of(const struct tcplan_blas_trials *trials) {
    const struct tcplan_core_trial *best = NULL;
    for (int t = 0; t < trials->count; t++) {
        const struct tcplan_core_trial *trial = &trials->trial[t];
        if (!*trial->wrong && *trial->setting && (!best || trial->gflops > best->gflops))
            best = trial;
    }
    return best;
}

static const char *vectors(enum vector_level level) {
    static const char *const words[] = {[VECTORS_UNKNOWN] = "unknown vectors",
                                        [VECTORS_128] = "128-bit vectors without FMA",
                                        [VECTORS_256] = "256-bit vectors without FMA",
                                        [VECTORS_256_FMA] = "256-bit vectors with FMA",
                                        [VECTORS_512] = "512-bit vectors with FMA",
                                        [VECTORS_512_BF16] = "512-bit vectors with FMA"};
    return words[level];
}

/** State of writing a sentence. */
struct sentence {
    char *out;
    size_t length;
};

static void add(struct sentence *sentence, const char *text) {
    const size_t room = TCPLAN_MESSAGE_SIZE - sentence->length;
    const int added = snprintf(sentence->out + sentence->length, room, "%s", text);
    if (added > 0) sentence->length += (size_t)added < room ? (size_t)added : room - 1;
}

/** Adds `OpenBLAS 0.3.21 (Prescott)`, or `blas1: dgemm of libblas.so.3`. */
static void add_subject(struct sentence *sentence, const struct core_facts *facts,
                        const char *part) {
    const struct tcplan_provider_info *is = &facts->is;
    if (facts->opened_as) add(sentence, facts->opened_as);
    if (facts->opened_as) add(sentence, ": ");
    add(sentence, part);
    add(sentence, is->name);
    if (is->version) add(sentence, " ");
    if (is->version) add(sentence, is->version);
    if (!is->core) return;
    add(sentence, " (");
    add(sentence, is->core);
    add(sentence, ")");
}

/** Adds the advised setting, as `OPENBLAS_CORETYPE=SkylakeX`; if its value is a number, adds the
 * name of the core too. */
static void add_setting(struct sentence *sentence, const struct tcplan_blas_advice *advice) {
    add(sentence, advice->variable);
    add(sentence, "=");
    add(sentence, advice->better_setting);
    if (strcasecmp(advice->better_setting, advice->better_core) == 0) return;
    add(sentence, " (");
    add(sentence, advice->better_core);
    add(sentence, ")");
}

/** Adds the present value of the variable, if it is set. */
static void add_reminder(struct sentence *sentence, const struct tcplan_blas_advice *advice,
                         const char *setting) {
    if (!setting || !advice->variable) return;
    add(sentence, "; ");
    add(sentence, advice->variable);
    add(sentence, " is now set to ");
    add(sentence, *setting ? setting : "nothing");
}

static void report_narrow(struct sentence *sentence, const struct core_facts *facts,
                          const struct tcplan_blas_advice *advice) {
    add_subject(sentence, facts, "");
    add(sentence, " uses ");
    add(sentence, vectors(level_of(family_of(&facts->is), facts->is.core)));
    add(sentence, "; this processor has ");
    add(sentence, vectors(facts->processor));
    add(sentence, facts->opened_as ? ". 'tcplan machine --blas FILE'" : ". 'tcplan machine'");
    add(sentence, " tests whether ");
    add(sentence, advice->variable);
    add(sentence, " can select a faster core type");
}

static void say_faster(struct sentence *sentence, const struct core_facts *facts,
                       const struct tcplan_blas_advice *advice, const char *setting,
                       double gflops) {
    char text[160];
    add_subject(sentence, facts, "");
    add(sentence, " selected slow kernels: ");
    add_setting(sentence, advice);
    snprintf(
        text, sizeof text,
        " makes dgemm %.1f times faster (%.3g instead of %.3g GFLOP/s, right results in all four types)",
        advice->factor, gflops * advice->factor, gflops);
    add(sentence, text);
    add_reminder(sentence, advice, setting);
}

static void report_wrong(struct sentence *sentence, const struct core_facts *facts,
                         const struct tcplan_blas_advice *advice, const char *setting,
                         const char *routines) {
    add_subject(sentence, facts, "");
    add(sentence, " computes wrong results on this processor (");
    add(sentence, routines);
    add(sentence, "): ");
    if (*advice->better_core) {
        add_setting(sentence, advice);
        add(sentence, " computes right ones in all four types");
    } else {
        add(sentence, "use another BLAS");
    }
    add_reminder(sentence, advice, setting);
}

static void report_slow(struct sentence *sentence, const struct core_facts *facts, double gflops,
                        double peak_gflops) {
    char text[160];
    add_subject(sentence, facts, "dgemm of ");
    snprintf(
        text, sizeof text,
        " reaches %.3g GFLOP/s, %.0f %% of one core's FMA peak of %.3g; use a BLAS built for this processor",
        gflops, 100 * gflops / peak_gflops, peak_gflops);
    add(sentence, text);
}

static void take_better(struct tcplan_blas_advice *out, const struct tcplan_core_trial *better,
                        double gflops) {
    memcpy(out->better_core, better->core, sizeof out->better_core);
    memcpy(out->better_setting, better->setting, sizeof out->better_setting);
    out->factor = gflops > 0 ? better->gflops / gflops : 0;
}

void blas_cores_advise(struct tcplan_blas_advice *out, const struct core_facts *facts,
                       const struct tcplan_blas_trials *trials, const char *setting) {
    const struct core_family *family = family_of(&facts->is);
    *out = (struct tcplan_blas_advice){.variable = family ? family->variable : NULL};
    struct sentence sentence = {.out = out->text};
    if (!facts->is.name) return;
    snprintf(out->core, sizeof out->core, "%s", facts->is.core ? facts->is.core : "");
    const struct tcplan_core_trial *present = trial_of(trials, out->core);
    if (!present) {
        if (!family || setting || !is_narrow(facts)) return;
        out->finding = TCPLAN_BLAS_NARROW;
        report_narrow(&sentence, facts, out);
        return;
    }
    const struct tcplan_core_trial *better = out->variable ? best_of(trials) : NULL;
    if (*present->wrong) {
        out->finding = TCPLAN_BLAS_WRONG;
        if (better) take_better(out, better, present->gflops);
        report_wrong(&sentence, facts, out, setting, present->wrong);
    } else if (better && better->gflops >= TCPLAN_BLAS_CLEARLY_FASTER * present->gflops) {
        out->finding = TCPLAN_BLAS_FASTER;
        take_better(out, better, present->gflops);
        say_faster(&sentence, facts, out, setting, present->gflops);
    } else if (present->gflops < SLOW_SHARE * trials->peak_gflops) {
        out->finding = TCPLAN_BLAS_SLOW;
        report_slow(&sentence, facts, present->gflops, trials->peak_gflops);
    }
}

void tcplan_blas_advise(struct tcplan_blas_advice *out, enum tcplan_provider provider,
                        const struct tcplan_blas_trials *trials, const char *setting) {
    const struct core_facts facts = blas_cores_facts(provider);
    blas_cores_advise(out, &facts, trials, setting);
}
