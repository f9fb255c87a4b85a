/*
 * Gates on one and two qubits of a state vector, as in simulators of quantum computers: a loop
 * over pairs or quadruples of amplitudes, in place. Compiled by bench/qubits.
 */
#include <complex.h>
#include <stddef.h>

#ifndef REAL
#define REAL double
#endif

typedef REAL _Complex amplitude;

/** Multiplies as in C, but without the check for NaN. */
static inline amplitude times(amplitude x, amplitude y) {
    const REAL a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;
    amplitude z;
    __real__ z = a * c - b * d;
    __imag__ z = a * d + b * c;
    return z;
}

/** Applies a gate to the qubit whose amplitudes are `step` elements apart. */
void gate_1(amplitude *state, size_t length, const amplitude gate[4], size_t step) {
    for (size_t outer = 0; outer < length; outer += 2 * step) {
        for (size_t i = outer; i < outer + step; i++) {
            const amplitude x = state[i], y = state[i + step];
            state[i] = times(gate[0], x) + times(gate[1], y);
            state[i + step] = times(gate[2], x) + times(gate[3], y);
        }
    }
}

/** Applies a gate to two qubits; `first` is the one that varies slower in the rows of the gate. */
void gate_2(amplitude *state, size_t length, const amplitude gate[16], size_t first,
            size_t second) {
    const size_t longer = first > second ? first : second;
    const size_t shorter = first > second ? second : first;
    for (size_t outer = 0; outer < length; outer += 2 * longer) {
        for (size_t middle = outer; middle < outer + longer; middle += 2 * shorter) {
            for (size_t i = middle; i < middle + shorter; i++) {
                const size_t at[4] = {i, i + second, i + first, i + first + second};
                amplitude x[4];
                for (int k = 0; k < 4; k++) x[k] = state[at[k]];
                for (int r = 0; r < 4; r++) {
                    amplitude sum = times(gate[4 * r], x[0]);
                    for (int k = 1; k < 4; k++) sum += times(gate[4 * r + k], x[k]);
                    state[at[r]] = sum;
                }
            }
        }
    }
}
