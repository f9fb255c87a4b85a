"""Tensor contractions by the fastest algorithm of this machine: numpy.einsum's conventions on libtcplan.

    tcplan.einsum("ai,ibc->abc", A, B)                a product, planned the first time
    planned = tcplan.plan("ai,ibc->abc", A, B)        planned by measuring, to be executed often: planned(A, B), planned.describe(), planned.emit()
    tcplan.rank("ai,ibc->abc", A, B)                  the algorithms, fastest first, as a table
    tcplan.einsum("ab,bc,cd->ad", A, B, C)            of several operands in the order that takes least time
    opt_einsum.contract("ab,bc,cd->ad", A, B, C, optimize=tcplan.optimizer, backend="tcplan")

Read from the environment: TCPLAN_EFFORT (what planning may cost: estimate, quick, normal, thorough), TCPLAN_STORE (the folder
where the command keeps what is known of the machine), TCPLAN_PLANS (stored plans, where they are not in that folder) and
TCPLAN_LIBRARY (the file of libtcplan).
"""
from ._einsum import clear, einsum, einsum_path, tensordot, transpose
from ._errors import Error, FailedError, InputError, OutOfMemoryError
from ._network import Optimizer
from ._path import greedy
from ._plan import Plan, plan
from ._planner import blas_advice
from ._ranking import Algorithm, Ranking, rank

optimizer = Optimizer()

__version__ = "0.1.0"

__all__ = [
    "Algorithm",
    "Error",
    "FailedError",
    "InputError",
    "Optimizer",
    "OutOfMemoryError",
    "Plan",
    "Ranking",
    "blas_advice",
    "clear",
    "einsum",
    "einsum_path",
    "greedy",
    "optimizer",
    "plan",
    "rank",
    "tensordot",
    "transpose",
]
