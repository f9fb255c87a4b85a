/* Tensors of TBLIS whose blocks follow from a group Z_2 x Z_2 x ... (dpd). TBLIS has no tensors with
 * other blocks of different extents. */
#include "marray/dpd/dpd_marray.hpp"

#include "tblis/tblis.h"

#include "peer.h"

namespace {

using symmetric = MArray::dpd_marray<double>;

struct product {
    const peer_product *given;
    symmetric dpd[3];
    tblis::label_vector label[3];
};

/** Copies the blocks of a tensor, whose elements are row-major, to or from the library's. */
void copy(const peer_product &product, const peer_tensor &given, symmetric &made, bool out) {
    for (int64_t b = 0; b < given.count; b++) {
        std::vector<int> irreps;
        for (int d = 0; d < given.rank; d++) irreps.push_back(product.irrep[given.index[d]][given.key[b * given.rank + d]]);
        auto view = made(irreps);
        double *at = given.block[b];
        std::vector<int64_t> index(given.rank, 0);
        for (bool done = false; !done;) {
            int64_t offset = 0;
            for (int d = 0; d < given.rank; d++) offset += index[d] * view.stride(d);
            if (out)
                *at++ = view.data()[offset];
            else
                view.data()[offset] = *at++;
            int d = given.rank - 1;
            for (; d >= 0 && ++index[d] == view.length(d); d--) index[d] = 0;
            done = d < 0;
        }
    }
}

void make(product &out, int t) {
    const peer_product &product = *out.given;
    const peer_tensor &given = product.tensor[t];
    MArray::matrix<MArray::len_type> length({given.rank, product.irreps}, 0);
    for (int d = 0; d < given.rank; d++)
        for (int s = 0; s < product.sections[given.index[d]]; s++)
            length[d][product.irrep[given.index[d]][s]] = product.extent[given.index[d]][s];
    out.dpd[t].reset(0, product.irreps, length, 0.0);
    if (t < 2) copy(product, given, out.dpd[t], false);
    for (int d = 0; d < given.rank; d++) out.label[t].push_back((char)('a' + given.index[d]));
}

}  // namespace

extern "C" {

void *peer_make(const peer_product *given) {
    if (!given->irrep) return nullptr;
    tblis_set_num_threads((unsigned)given->threads);
    auto *out = new product;
    out->given = given;
    for (int t = 0; t < 3; t++) make(*out, t);
    return out;
}

void peer_run(void *made) {
    auto *p = (product *)made;
    tblis::mult<double>(1.0, p->dpd[0].cview(), p->label[0], p->dpd[1].cview(), p->label[1], 0.0, p->dpd[2].view(), p->label[2]);
}

void peer_read(void *made) {
    auto *p = (product *)made;
    copy(*p->given, p->given->tensor[2], p->dpd[2], true);
}

void peer_free(void *made) {
    delete (product *)made;
}
}
