#include "bench/library.h"

#include <string.h>

/* Every second case is in the held-out half, so both halves contain every kind of contraction.
 * TCCG's sizes are those of the benchmark, except in some ccsd cases, so that a run takes seconds:
 * extents of ccsd0 are divided by 8, those of ccsd1 to ccsd4 by 2; ccsd6 to ccsd8 have 36, not 72.
 */
static const struct library_case cases[] = {
    {"T1_64", "C_abc=A_ai*B_ibc", "a=b=c=64,i=8", LIBRARY_TUNING},
    {"T1_128", "C_abc=A_ai*B_ibc", "a=b=c=128,i=8", LIBRARY_HELD_OUT},
    {"T1_200", "C_abc=A_ai*B_ibc", "a=b=c=200,i=8", LIBRARY_TUNING},
    {"T1_400", "C_abc=A_ai*B_ibc", "a=b=c=400,i=8", LIBRARY_HELD_OUT},
    {"T2_64", "C_a=A_iaj*B_ji", "a=i=j=64", LIBRARY_TUNING},
    {"T2_256", "C_a=A_iaj*B_ji", "a=i=j=256", LIBRARY_HELD_OUT},
    {"T2_512", "C_a=A_iaj*B_ji", "a=i=j=512", LIBRARY_TUNING},
    {"T3_32", "C_abc=A_ija*B_jbic", "a=b=c=32,i=j=8", LIBRARY_HELD_OUT},
    {"T3_64", "C_abc=A_ija*B_jbic", "a=b=c=64,i=j=8", LIBRARY_TUNING},
    {"T3_128", "C_abc=A_ija*B_jbic", "a=b=c=128,i=j=8", LIBRARY_HELD_OUT},
    {"intensli0", "C_abc=A_bda*B_dc", "a=312,b=312,c=24,d=312", LIBRARY_TUNING},
    {"intensli1", "C_abc=A_dca*B_bd", "a=312,b=24,c=296,d=312", LIBRARY_HELD_OUT},
    {"intensli2", "C_abcd=A_dbea*B_ec", "a=72,b=72,c=24,d=72,e=72", LIBRARY_TUNING},
    {"intensli3", "C_abcd=A_deca*B_be", "a=72,b=24,c=72,d=72,e=72", LIBRARY_HELD_OUT},
    {"intensli4", "C_abcd=A_ebad*B_ce", "a=72,b=72,c=24,d=72,e=72", LIBRARY_TUNING},
    {"intensli5", "C_abcde=A_efbad*B_cf", "a=48,b=32,c=24,d=32,e=48,f=32", LIBRARY_HELD_OUT},
    {"intensli6", "C_abcde=A_ecbfa*B_fd", "a=48,b=32,c=32,d=24,e=48,f=48", LIBRARY_TUNING},
    {"intensli7", "C_abcde=A_efcad*B_bf", "a=48,b=24,c=32,d=32,e=48,f=32", LIBRARY_HELD_OUT},
    {"ao2mo0", "C_abcd=A_ea*B_ebcd", "a=72,b=72,c=72,d=72,e=72", LIBRARY_TUNING},
    {"ao2mo1", "C_abcd=A_eb*B_aecd", "a=72,b=72,c=72,d=72,e=72", LIBRARY_HELD_OUT},
    {"ao2mo2", "C_abcd=A_ec*B_abed", "a=72,b=72,c=72,d=72,e=72", LIBRARY_TUNING},
    {"ccsd0", "C_ab=A_ac*B_cb", "a=642,b=640,c=642", LIBRARY_HELD_OUT},
    {"ccsd1", "C_ab=A_acd*B_dbc", "a=156,b=148,c=148,d=156", LIBRARY_TUNING},
    {"ccsd2", "C_ab=A_cad*B_dcb", "a=156,b=148,c=156,d=156", LIBRARY_HELD_OUT},
    {"ccsd3", "C_abc=A_acd*B_db", "a=156,b=148,c=148,d=156", LIBRARY_TUNING},
    {"ccsd4", "C_abc=A_adc*B_bd", "a=156,b=156,c=148,d=148", LIBRARY_HELD_OUT},
    {"ccsd5", "C_abc=A_adec*B_ebd", "a=72,b=72,c=72,d=72,e=72", LIBRARY_TUNING},
    {"ccsd6", "C_abcd=A_aebf*B_dfce", "a=36,b=36,c=36,d=36,e=36,f=36", LIBRARY_HELD_OUT},
    {"ccsd7", "C_abcd=A_aebf*B_fdec", "a=36,b=36,c=36,d=36,e=36,f=36", LIBRARY_TUNING},
    {"ccsd8", "C_abcd=A_eafd*B_fbec", "a=36,b=36,c=36,d=36,e=36,f=36", LIBRARY_HELD_OUT},
    {"ccsd_t0", "C_abcdef=A_dega*B_gfbc", "a=24,b=16,c=16,d=24,e=16,f=16,g=24", LIBRARY_TUNING},
    {"ccsd_t1", "C_abcdef=A_degb*B_gfac", "a=24,b=16,c=16,d=24,e=16,f=16,g=24", LIBRARY_HELD_OUT},
    {"ccsd_t2", "C_abcdef=A_degc*B_gfab", "a=24,b=16,c=16,d=24,e=16,f=16,g=24", LIBRARY_TUNING},
    {"ccsd_t3", "C_abcdef=A_dfgb*B_geac", "a=24,b=16,c=16,d=24,e=16,f=16,g=24", LIBRARY_HELD_OUT},
};

int library_count(void) {
    return sizeof cases / sizeof *cases;
}

const struct library_case *library_get(int number) {
    return &cases[number];
}

enum library_half library_half_named(const char *name) {
    if (strcmp(name, "tuning") == 0) return LIBRARY_TUNING;
    return strcmp(name, "held-out") == 0 ? LIBRARY_HELD_OUT : LIBRARY_ALL;
}
