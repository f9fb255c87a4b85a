#include <stdio.h>
#include <stdlib.h>

#include <tcplan/contraction.h>
#include <tcplan/version.h>

int main(void) {
    struct tcplan_contraction *contraction;
    struct tcplan_error error;
    if (tcplan_contraction_parse(&contraction, "C_ab = A_ai * B_ib", TCPLAN_COLUMN_MAJOR, &error) !=
        TCPLAN_OK)
        return 1;
    char *text = tcplan_contraction_text(contraction);
    printf("tcplan %s: %s\n", TCPLAN_VERSION_STRING, text ? text : "out of memory");
    free(text);
    tcplan_contraction_free(contraction);
    return 0;
}
