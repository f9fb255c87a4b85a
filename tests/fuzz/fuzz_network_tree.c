/**
 * Reads any bytes as a contraction tree, in both notations, for several networks. The text of an
 * accepted tree must read back to the same text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/network_tree.h"

static void check(const struct tcplan_tree *tree) {
    struct tcplan_tree *again = NULL;
    char *text = tcplan_tree_text(tree), *path = tcplan_tree_path(tree);
    require(tcplan_tree_parse(&again, tree->network, tree->extent, tree->dtype, text, NULL) ==
            TCPLAN_OK);
    char *same = tcplan_tree_text(again);
    require(strcmp(text, same) == 0 &&
            tcplan_tree_totals(tree).flops == tcplan_tree_totals(again).flops);
    free(same);
    tcplan_tree_free(again);
    again = NULL;
    require(tcplan_tree_parse_path(&again, tree->network, tree->extent, tree->dtype, path, NULL) ==
            TCPLAN_OK);
    tcplan_tree_free(again);
    free(path);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const notation[] = {"F_ae=A_ab*B_bc*conj(C)_cd*D_de",
                                           "R_ab=A_ac*B_cx*A_xb+A_ba+0.5*A_cd*B_dc*T1*A_ab",
                                           "R_ad=A_ab*B_bc*C_cd+A_dc*B_cb*C_ba",
                                           "X_ab=A_ab+2*B_ba; R_ad=X_ab*X_bc*C_cd+X_cb*X_ba*C_cd"};
    static const int64_t extent[] = {2, 2, 2, 2, 2, 2, 2, 2};
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    for (size_t n = 0; n < sizeof notation / sizeof *notation; n++) {
        struct tcplan_network *network = NULL;
        require(tcplan_network_parse(&network, notation[n], TCPLAN_ROW_MAJOR, NULL) == TCPLAN_OK);
        for (int as_path = 0; as_path < 2; as_path++) {
            struct tcplan_tree *tree = NULL;
            struct tcplan_error error = {0};
            const enum tcplan_status status =
                as_path
                    ? tcplan_tree_parse_path(&tree, network, extent, TCPLAN_DOUBLE, text, &error)
                    : tcplan_tree_parse(&tree, network, extent, TCPLAN_DOUBLE, text, &error);
            if (status == TCPLAN_OK) {
                int shared = 0;
                check(tree);
                require(tcplan_tree_share(&shared, tree, 0, NULL) == TCPLAN_OK && shared >= 0);
                check(tree);
            } else {
                require(error.status == status && error.message[0] != '\0');
                require(error.column == 0 || error.column - 1 + error.length <= strlen(text));
            }
            tcplan_tree_free(tree);
        }
        tcplan_network_free(network);
    }
    free(text);
    return 0;
}
