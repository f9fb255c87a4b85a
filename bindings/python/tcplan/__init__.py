"""Tensor contractions by the fastest algorithm on this machine, with the conventions of
numpy.einsum. Computes with libtcplan.

    tcplan.einsum("ai,ibc->abc", A, B)                a product; the first call plans it
    planned = tcplan.plan("ai,ibc->abc", A, B)        plans by measuring, for repeated execution:
                                                      planned(A, B), planned.describe(), planned.emit()
    tcplan.rank("ai,ibc->abc", A, B)                  the algorithms, fastest first, as a table
    tcplan.einsum("ab,bc,cd->ad", A, B, C)            several operands, in the fastest order
    opt_einsum.contract("ab,bc,cd->ad", A, B, C, optimize=tcplan.optimizer, backend="tcplan")

The package reads these environment variables: TCPLAN_EFFORT (estimate, quick, normal, thorough),
TCPLAN_STORE (the command's store of data about the machine), TCPLAN_PLANS (stored plans, if they
are not in the store) and TCPLAN_LIBRARY (the file of libtcplan).
"""
from ._blocks import BlockExpression, BlockPlan, BlockSum, block_einsum
from ._cost import cost, objective
from ._distributed import DistributedPlan
from ._einsum import clear, einsum, einsum_path, tensordot, transpose
from ._errors import Error, FailedError, InputError, OutOfMemoryError
from ._network import Optimizer
from ._path import greedy
from ._plan import Plan, plan
from ._planner import blas_advice, open_tapp
from ._ranking import Algorithm, Ranking, rank

optimizer = Optimizer()

__version__ = "0.2.0"

__all__ = [
    "Algorithm",
    "BlockExpression",
    "BlockPlan",
    "BlockSum",
    "DistributedPlan",
    "Error",
    "FailedError",
    "InputError",
    "Optimizer",
    "OutOfMemoryError",
    "Plan",
    "Ranking",
    "blas_advice",
    "block_einsum",
    "clear",
    "cost",
    "einsum",
    "einsum_path",
    "greedy",
    "objective",
    "open_tapp",
    "optimizer",
    "plan",
    "rank",
    "tensordot",
    "transpose",
]
