#include <string.h>

#include "base/error.h"
#include "gen/providers/provider_code.h"

/** Names that the emitted function cannot have: words of C11 and of the included headers, and its
 * own arguments. */
static const char *const taken[] = {
    /* keywords */
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
    "unsigned", "void", "volatile", "while", "asm", "typeof",
    /* <errno.h>, <stddef.h> */
    "errno", "size_t", "ptrdiff_t", "wchar_t", "max_align_t", "offsetof",
    /* <stdlib.h> */
    "div_t", "ldiv_t", "lldiv_t", "atof", "atoi", "atol", "atoll", "strtod", "strtof", "strtold",
    "strtol", "strtoll", "strtoul", "strtoull", "rand", "srand", "aligned_alloc", "calloc", "free",
    "malloc", "realloc", "abort", "atexit", "at_quick_exit", "exit", "getenv", "quick_exit",
    "system", "bsearch", "qsort", "abs", "labs", "llabs", "div", "ldiv", "lldiv", "mblen", "mbtowc",
    "wctomb", "mbstowcs", "wcstombs",
    /* <stdbool.h>, <string.h> */
    "bool", "true", "false", "memcpy", "memmove", "memchr", "memcmp", "memset", "strcpy", "strncpy",
    "strcat", "strncat", "strcmp", "strcoll", "strncmp", "strxfrm", "strchr", "strcspn", "strpbrk",
    "strrchr", "strspn", "strstr", "strtok", "strerror", "strlen",
    /* <complex.h>, <math.h>: functions of doubles; functions of the other types have an additional
     * f or l at the end */
    "complex", "imaginary", "I", "cacos", "casin", "catan", "ccos", "csin", "ctan", "cacosh",
    "casinh", "catanh", "ccosh", "csinh", "ctanh", "cexp", "clog", "cabs", "cpow", "csqrt", "carg",
    "cimag", "conj", "cproj", "creal", "acos", "asin", "atan", "atan2", "cos", "sin", "tan",
    "acosh", "asinh", "atanh", "cosh", "sinh", "tanh", "exp", "exp2", "expm1", "frexp", "ilogb",
    "ldexp", "log", "log10", "log1p", "log2", "logb", "modf", "scalbn", "scalbln", "cbrt", "fabs",
    "hypot", "pow", "sqrt", "erf", "erfc", "lgamma", "tgamma", "ceil", "floor", "nearbyint", "rint",
    "lrint", "llrint", "round", "lround", "llround", "trunc", "fmod", "remainder", "remquo",
    "copysign", "nan", "nextafter", "nexttoward", "fdim", "fmax", "fmin", "fma", "isfinite",
    "isinf", "isnan", "isnormal", "signbit", "fpclassify", "isgreater", "isgreaterequal", "isless",
    "islessequal", "islessgreater", "isunordered", "float_t", "double_t",
    /* <stdint.h>: the types apart from int8_t and the like */
    "intptr_t", "uintptr_t", "intmax_t", "uintmax_t",
    /* <stdio.h> */
    "fpos_t", "stdin", "stdout", "stderr", "remove", "rename", "tmpfile", "tmpnam", "fclose",
    "fflush", "fopen", "freopen", "setbuf", "setvbuf", "fprintf", "fscanf", "printf", "scanf",
    "snprintf", "sprintf", "sscanf", "vfprintf", "vfscanf", "vprintf", "vscanf", "vsnprintf",
    "vsprintf", "vsscanf", "fgetc", "fgets", "fputc", "fputs", "getc", "getchar", "gets", "putc",
    "putchar", "puts", "ungetc", "fread", "fwrite", "fgetpos", "fseek", "fsetpos", "ftell",
    "rewind", "clearerr", "feof", "ferror", "perror",
    /* functions that compilers know without a header */
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strcpy", "strncpy", "strcat", "strncat",
    "strcmp", "strncmp", "strcoll", "strxfrm", "strchr", "strrchr", "strcspn", "strspn", "strpbrk",
    "strstr", "strtok", "strerror", "strlen",
    /* <time.h> */
    "clock", "clock_t", "time", "time_t", "tm", "timespec", "timespec_get", "difftime", "mktime",
    "asctime", "ctime", "gmtime", "localtime", "strftime",
    /* <cblas.h>, <openblas_config.h> */
    "blasint", "bfloat16", "xdouble",
    /* system calls that programs call without declaring them */
    "read", "write", "open", "close", "mmap", "munmap",
    /* names that POSIX and the C library add to these headers, and names of <strings.h> and
     * <unistd.h> */
    "a64l", "access", "acct", "alarm", "alloca", "arc4random", "arc4random_buf",
    "arc4random_uniform", "asctime_r", "bcmp", "bcopy", "be16toh", "be32toh", "be64toh", "blkcnt_t",
    "blksize_t", "brk", "bzero", "caddr_t", "chdir", "chown", "chroot", "clearenv",
    "clearerr_unlocked", "clock_getcpuclockid", "clock_getres", "clock_gettime", "clock_nanosleep",
    "clock_settime", "clockid_t", "closefrom", "confstr", "cpu_set_t", "crypt", "ctermid",
    "ctime_r", "daddr_t", "daemon", "daylight", "dev_t", "dprintf", "drand48", "drand48_r", "drem",
    "dup", "dup2", "dysize", "ecvt", "ecvt_r", "endusershell", "erand48", "erand48_r", "execl",
    "execle", "execlp", "execv", "execve", "execvp", "explicit_bzero", "faccessat", "fchdir",
    "fchown", "fchownat", "fcvt", "fcvt_r", "fd_mask", "fd_set", "fdatasync", "fdopen",
    "feof_unlocked", "ferror_unlocked", "fexecve", "fflush_unlocked", "ffs", "ffsll",
    "fgetc_unlocked", "fileno", "fileno_unlocked", "finite", "flockfile", "fmemopen", "fork",
    "fpathconf", "fputc_unlocked", "fread_unlocked", "fsblkcnt_t", "fseeko", "fsfilcnt_t", "fsid_t",
    "fsync", "ftello", "ftruncate", "ftrylockfile", "funlockfile", "fwrite_unlocked", "gamma",
    "gcvt", "getc_unlocked", "getchar_unlocked", "getcwd", "getdelim", "getdomainname",
    "getdtablesize", "getegid", "getentropy", "geteuid", "getgid", "getgroups", "gethostid",
    "gethostname", "getline", "getloadavg", "getlogin", "getlogin_r", "getopt", "getpagesize",
    "getpass", "getpgid", "getpgrp", "getpid", "getppid", "getsid", "getsubopt", "getuid",
    "getusershell", "getw", "getwd", "gid_t", "gmtime_r", "htobe16", "htobe32", "htobe64",
    "htole16", "htole32", "htole64", "id_t", "index", "initstate", "initstate_r", "ino_t", "isatty",
    "j0", "j1", "jn", "jrand48", "jrand48_r", "key_t", "l64a", "lchown", "lcong48", "lcong48_r",
    "le16toh", "le32toh", "le64toh", "lgamma_r", "lgammaf_r", "lgammal_r", "link", "linkat",
    "linux", "locale_t", "localtime_r", "lockf", "loff_t", "lrand48", "lrand48_r", "lseek",
    "memccpy", "mkdtemp", "mkstemp", "mkstemps", "mktemp", "mode_t", "mrand48", "mrand48_r",
    "nanosleep", "nice", "nlink_t", "nrand48", "nrand48_r", "off_t", "on_exit", "open_memstream",
    "optarg", "opterr", "optind", "optopt", "pathconf", "pause", "pclose", "pid_t", "pipe", "popen",
    "posix_memalign", "pread", "profil", "pselect", "putc_unlocked", "putchar_unlocked", "putenv",
    "putw", "pwrite", "qecvt", "qecvt_r", "qfcvt", "qfcvt_r", "qgcvt", "quad_t", "rand_r", "random",
    "random_r", "readlink", "readlinkat", "reallocarray", "realpath", "renameat", "revoke",
    "rindex", "rmdir", "rpmatch", "sbrk", "scalb", "seed48", "seed48_r", "select", "setbuffer",
    "setdomainname", "setegid", "setenv", "seteuid", "setgid", "sethostid", "sethostname",
    "setlinebuf", "setlogin", "setpgid", "setpgrp", "setregid", "setreuid", "setsid", "setstate",
    "setstate_r", "setuid", "setusershell", "sigevent", "signgam", "significand", "sigset_t",
    "sleep", "socklen_t", "srand48", "srand48_r", "srandom", "srandom_r", "ssize_t", "stpcpy",
    "stpncpy", "strcasecmp", "strcasecmp_l", "strcoll_l", "strdup", "strerror_l", "strerror_r",
    "strftime_l", "strncasecmp", "strncasecmp_l", "strndup", "strnlen", "strsep", "strsignal",
    "strtok_r", "strtoq", "strtouq", "strxfrm_l", "suseconds_t", "symlink", "symlinkat", "sync",
    "syscall", "sysconf", "tcgetpgrp", "tcsetpgrp", "tempnam", "timegm", "timelocal",
    "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime", "timer_t",
    "timezone", "tmpnam_r", "truncate", "ttyname", "ttyname_r", "ttyslot", "tzname", "tzset",
    "u_char", "u_int", "u_int16_t", "u_int32_t", "u_int64_t", "u_int8_t", "u_long", "u_quad_t",
    "u_short", "ualarm", "uid_t", "uint", "ulong", "unix", "unlink", "unlinkat", "unsetenv",
    "useconds_t", "ushort", "usleep", "va_list", "valloc", "vdprintf", "vfork", "vhangup", "y0",
    "y1", "yn", "BIG_ENDIAN", "BYTE_ORDER", "LITTLE_ENDIAN", "PDP_ENDIAN", "NFDBITS", "P_tmpdir",
    "L_ctermid",
    /* the emitted file */
    "main", "A", "B", "C", "D", "tcplan_pool", "tcplan_release_memory", "TCPLAN_POOL", "TCPLAN_ONE",
    "TCPLAN_TEAM", "tcplan_end_team",
    /* <stdatomic.h> */
    "kill_dependency", "memory_order",
    /* macros and types in capitals */
    "NULL", "EOF", "BUFSIZ", "FILE", "RAND_MAX", "MB_CUR_MAX", "TMP_MAX", "INFINITY", "NAN",
    "SIZE_MAX"};

/** Prefixes of names that C's headers, <stdint.h>, or the emitted file may define. */
static const char *const taken_prefix[] = {
    "_",        "pthread_",    "int8",    "int16",   "int32",    "int64",         "int_",
    "uint8",    "uint16",      "uint32",  "uint64",  "uint_",    "INT",           "UINT",
    "PTRDIFF_", "WCHAR_",      "WINT_",   "SIG_",    "FP_",      "MATH_",         "HUGE_",
    "CMPLX",    "SEEK_",       "L_tmp",   "FOPEN_",  "FILENAME", "CLOCKS_",       "TIME_UTC",
    "math_err", "copy_s_",     "copy_d_", "copy_c_", "copy_z_",  "COPY_",         "mul_s_",
    "mul_d_",   "mul_c_",      "mul_z_",  "MUL_",    "kept_",    "KEPT_",         "team_",
    "TEAM_",    "tcplan_team", "sched_",  "atomic_", "ATOMIC_",  "memory_order_", "CLOCK_",
    "FD_",      "F_",          "L_",      "M_",      "PTHREAD_", "R_OK",          "SCHED_",
    "STDERR_",  "STDIN_",      "STDOUT_", "TIMER_",  "WCONT",    "WEXIT",         "WIF",
    "WNO",      "WSTOP",       "WTERM",   "WUN",     "W_OK",     "X_OK"};

/** Words of C++, a later C or a compiler, for programs that include the header of the emitted
 * function. */
static const char *const taken_by_languages[] = {"alignas",
                                                 "alignof",
                                                 "and",
                                                 "and_eq",
                                                 "bitand",
                                                 "bitor",
                                                 "catch",
                                                 "class",
                                                 "compl",
                                                 "concept",
                                                 "consteval",
                                                 "constexpr",
                                                 "constinit",
                                                 "decltype",
                                                 "delete",
                                                 "explicit",
                                                 "export",
                                                 "friend",
                                                 "import",
                                                 "module",
                                                 "mutable",
                                                 "namespace",
                                                 "new",
                                                 "noexcept",
                                                 "not",
                                                 "not_eq",
                                                 "nullptr",
                                                 "operator",
                                                 "or",
                                                 "or_eq",
                                                 "private",
                                                 "protected",
                                                 "public",
                                                 "requires",
                                                 "template",
                                                 "this",
                                                 "throw",
                                                 "try",
                                                 "typeid",
                                                 "typename",
                                                 "using",
                                                 "virtual",
                                                 "xor",
                                                 "xor_eq",
                                                 "override",
                                                 "final",
                                                 "i386",
                                                 "vax",
                                                 "near",
                                                 "far",
                                                 "char8_t",
                                                 "char16_t",
                                                 "char32_t",
                                                 "const_cast",
                                                 "co_await",
                                                 "co_return",
                                                 "co_yield",
                                                 "dynamic_cast",
                                                 "reinterpret_cast",
                                                 "static_assert",
                                                 "static_cast",
                                                 "thread_local",
                                                 "typeof_unqual"};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_identifier(const char *name) {
    if (!is_letter(*name)) return false;
    for (; *name; name++) {
        if (!is_letter(*name) && !is_digit(*name)) return false;
    }
    return true;
}

/** errno.h> may define any name that begins with E and a capital or a digit. */
static bool is_error_number(const char *name) {
    return name[0] == 'E' && (is_digit(name[1]) || (name[1] >= 'A' && name[1] <= 'Z'));
}

/** Returns whether names are equal; a math function also equals its variants for float and long
 * double, which end in f or l. */
static bool matches(const char *name, const char *word) {
    const size_t length = strlen(word);
    return strncmp(name, word, length) == 0 &&
           (!name[length] || (strchr("fl", name[length]) && !name[length + 1]));
}

static bool begins_with(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}

/** Returns whether the header of some provider defines a name. */
static bool is_of_provider(const char *name) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        const char *const *prefix = provider_code_of((enum tcplan_provider)p)->prefixes;
        for (; prefix && *prefix; prefix++) {
            if (begins_with(name, *prefix)) return true;
        }
    }
    return false;
}

static bool is_taken(const char *name) {
    for (size_t w = 0; w < sizeof taken / sizeof *taken; w++) {
        if (matches(name, taken[w])) return true;
    }
    for (size_t p = 0; p < sizeof taken_prefix / sizeof *taken_prefix; p++) {
        if (begins_with(name, taken_prefix[p])) return true;
    }
    for (size_t w = 0; w < sizeof taken_by_languages / sizeof *taken_by_languages; w++) {
        if (strcmp(name, taken_by_languages[w]) == 0) return true;
    }
    return is_error_number(name) || is_of_provider(name);
}

/** More names that a parameter cannot have: variables and functions of the emitted function whose
 * names contain no underscore. */
static const char *const taken_inside[] = {"alpha", "beta", "thread", "type", "count", "number",
                                           "next", "factor", "dot", "trans",
                                           /* prefix of the arguments for strides */
                                           "strides"};

/** Returns whether a name is a variable in the kernel calls of some provider, or a name of its
 * header. */
static bool is_variable_of_provider(const char *name) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        const char *const *variable = provider_code_of((enum tcplan_provider)p)->variables;
        for (; variable && *variable; variable++) {
            if (strcmp(name, *variable) == 0) return true;
        }
    }
    return false;
}

/** Returns whether a name is `j0`, `j1`, ..., which count the dimensions of copies. */
static bool is_counter(const char *name) {
    return *name == 'j' && name[1 + strspn(name + 1, "0123456789")] == '\0';
}

bool emit_is_free_operand(const char *name) {
    static const char *const letters[TCPLAN_TENSORS] = {"A", "B", "C", "D"};
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (strcmp(name, letters[t]) == 0) return true;
    }
    for (size_t w = 0; w < sizeof taken_inside / sizeof *taken_inside; w++) {
        if (strcmp(name, taken_inside[w]) == 0) return false;
    }
    return is_identifier(name) && !strchr(name, '_') && !is_taken(name) && !is_counter(name) &&
           !is_variable_of_provider(name);
}

void emit_name_letters(struct emitter *emitter) {
    static const char *const letters[TCPLAN_TENSORS] = {"A", "B", "C", "D"};
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = emit_parameters(emitter, tensor);
    for (int t = 0; t < count; t++) emitter->operand[tensor[t]] = letters[t];
}

void emit_name_operands(struct emitter *emitter) {
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = emit_parameters(emitter, tensor);
    for (int t = 0; t < count; t++) {
        const char *name = emitter->problem->contraction->tensor[tensor[t]].name;
        bool is_free = emit_is_free_operand(name) && strcmp(name, emitter->function) != 0;
        for (int other = 0; other < t; other++)
            is_free = is_free && strcmp(name, emitter->operand[tensor[other]]) != 0;
        emitter->operand[tensor[t]] = name;
        if (is_free) continue;
        emit_name_letters(emitter);
        return;
    }
}

enum tcplan_status emit_check_name(const char *name, struct tcplan_error *error) {
    if (!is_identifier(name))
        return error_set(error, TCPLAN_INVALID,
                         "\"%s\" is not a C identifier, so no function can have this name", name);
    if (is_taken(name))
        return error_set(
            error, TCPLAN_INVALID,
            "the function cannot be called %s: C, C++, POSIX, BLAS or the emitted file uses that name",
            name);
    return TCPLAN_OK;
}
