/*
 * Preloaded by scripts/faults: one call of the program tcplan to the C library fails.
 *
 *   TCPLAN_FAULT        memory:N   tcplan's N-th request for memory and all later ones fail
 *                       foreign:N  the N-th request by a library that tcplan uses fails
 *                       write:N    the N-th write() and all later ones fail: the disk is full
 *                       0 as N     nothing fails
 *   TCPLAN_FAULT_COUNT  a file that receives the number of requests or writes
 *
 * The return address of a call identifies the requester of memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

enum kind { NONE, MEMORY, FOREIGN, WRITE };
enum { FRAMES = 64 };

static enum kind kind;
static long fails_at;
static atomic_long seen;
static pid_t first_process;

/* Address ranges of tcplan's code: the program and its libraries. */
enum { RANGES = 4 };
static struct { uintptr_t first, last; } own[RANGES];
static int own_count;

static int add_range(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    if (*info->dlpi_name && !strstr(info->dlpi_name, "libtcplan")) return 0;
    for (int h = 0; h < info->dlpi_phnum && own_count < RANGES; h++) {
        const uintptr_t first = info->dlpi_addr + info->dlpi_phdr[h].p_vaddr;
        if (info->dlpi_phdr[h].p_type != PT_LOAD || !(info->dlpi_phdr[h].p_flags & PF_X)) continue;
        own[own_count].first = first;
        own[own_count++].last = first + info->dlpi_phdr[h].p_memsz;
    }
    return 0;
}

static bool is_own(const void *caller) {
    for (int r = 0; r < own_count; r++) {
        if ((uintptr_t)caller >= own[r].first && (uintptr_t)caller < own[r].last) return true;
    }
    return false;
}

/** Returns whether a call comes from the C library itself; such calls never fail. */
static bool is_of_libc(const void *caller) {
    Dl_info info;
    return dladdr(caller, &info) == 0 || !info.dli_fname || strstr(info.dli_fname, "libc.so") ||
           strstr(info.dli_fname, "ld-linux");
}

__attribute__((constructor)) static void begin(void) {
    static const char *const names[] = {"", "memory:", "foreign:", "write:"};
    const char *text = getenv("TCPLAN_FAULT");
    if (!text || strcmp(program_invocation_short_name, "tcplan") != 0) return;
    void *frame;
    backtrace(&frame, 1); /* the first call loads libraries that later calls need */
    dl_iterate_phdr(add_range, NULL);
    first_process = getpid();
    for (int k = MEMORY; k <= WRITE; k++) {
        if (strncmp(text, names[k], strlen(names[k])) != 0) continue;
        fails_at = atol(text + strlen(names[k]));
        kind = (enum kind)k;
    }
}

__attribute__((destructor)) static void end(void) {
    char text[32];
    const char *path = getenv("TCPLAN_FAULT_COUNT");
    const int file = path && kind != NONE && getpid() == first_process
                         ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)
                         : -1;
    const int length = snprintf(text, sizeof text, "%ld\n", (long)seen);
    kind = NONE;
    if (file >= 0 && write(file, text, (size_t)length) != length) perror(path);
    if (file >= 0) close(file);
}

static bool fails(enum kind what) {
    if (kind != what) return false;
    const long number = ++seen;
    return fails_at > 0 && (kind == FOREIGN ? number == fails_at : number >= fails_at);
}

static const char *file_of(const void *at) {
    Dl_info place;
    if (!dladdr(at, &place) || !place.dli_fname) return NULL;
    const char *slash = strrchr(place.dli_fname, '/');
    return slash ? slash + 1 : place.dli_fname;
}

static bool is_reported(const char *name) {
    return name && strncmp(name, "libc.so", 7) != 0 && strncmp(name, "ld-linux", 8) != 0;
}

/** Prints the function that crashed; if it belongs to the C library, tcplan's function that called
 * it. */
static void name_crash(int signal, siginfo_t *info, void *context) {
    const ucontext_t *state = context;
    char text[300] = "crashes in what has no name\n";
    void *frame[FRAMES];
    (void)info;
#if defined __x86_64__
    const void *at = (const void *)(uintptr_t)state->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    const void *at = (const void *)(uintptr_t)state->uc_mcontext.pc;
#else
    const void *at = state;
#endif
    kind = NONE;
    const char *name = file_of(at);
    const int count = is_reported(name) ? 0 : backtrace(frame, FRAMES);
    bool is_behind = false; /* whether the frames of this handler and of the signal are passed */
    for (int f = 0; f < count && !is_reported(name); f++) {
        is_behind = is_behind || frame[f] == at;
        if (is_behind) name = file_of(frame[f]);
    }
    if (name) snprintf(text, sizeof text, "crashes in %s\n", name);
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
    raise(signal);
}

/** Installs handlers for crashes, which then call the handlers that the program installed before.
 */
static void watch_crashes(void) {
    const struct sigaction action = {.sa_sigaction = name_crash,
                                     .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
}

static bool refuses(const void *caller) {
    if (kind != MEMORY && kind != FOREIGN) return false;
    const bool refused =
        is_own(caller) ? fails(MEMORY) : kind == FOREIGN && !is_of_libc(caller) && fails(FOREIGN);
    if (refused) watch_crashes();
    if (refused) errno = ENOMEM;
    return refused;
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

void *malloc(size_t bytes) {
    return refuses(CALLER) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return refuses(CALLER) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
    return refuses(CALLER) ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return refuses(CALLER) ? NULL : __libc_memalign(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes) {
    return refuses(CALLER) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    void *had = refuses(CALLER) ? NULL : __libc_memalign(alignment, bytes);
    if (!had) return ENOMEM;
    *memory = had;
    return 0;
}

ssize_t write(int file, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "write");
        memcpy(&real, &symbol, sizeof real);
    }
    if (file == STDERR_FILENO || !is_own(CALLER) || !fails(WRITE)) return real(file, bytes, count);
    errno = ENOSPC;
    return -1;
}
