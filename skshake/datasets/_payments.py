"""Generated payments: tables of transfers and accounts, as a database gives them.

In: sizes and a seed. Out: data frames, and which transfers were planted. No loop
over cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from skshake.graphs import offsets, owner_of

FEWEST_ACCOUNTS = 8
RING_LENGTHS = (4, 6)
KINDS = ("private", "business", "shop")
CHANNELS = ("card", "transfer", "wire")
FIRST_MONTH = "2026-01"


def make_payments(
    n_cases: int = 400,
    *,
    n_months: int = 8,
    fraud_share: float = 0.25,
    mean_accounts: float = 14.0,
    mean_transfers: float = 24.0,
    random_state: Any = None,
) -> Bunch:
    """Make cases of payments, some of which hide money that runs in a circle.

    A case is a set of accounts and the transfers between them within a month. In each,
    four or six large transfers of about the same amount close a ring. In fraud they all
    run the same way round, so that the money comes back; in other cases every second
    one runs the other way. So the planted transfers differ in their directions, and in
    amounts that are somewhat larger in fraud; all else follows the same law.

    Parameters
    ----------
    n_cases : int, default=400
        Number of cases.
    n_months : int, default=8
        Months, from January 2026, over which cases are spread evenly.
    fraud_share : float, default=0.25
        Share of cases that are fraud.
    mean_accounts : float, default=14.0
        Expected accounts of a case, which has at least eight. Accounts are drawn from
        one pool, so that a case shares some with others.
    mean_transfers : float, default=24.0
        Expected ordinary transfers of a case.
    random_state : int, RandomState instance or None, default=None
        Seeds all of it.

    Returns
    -------
    data : Bunch
        ``transfers``, a data frame with the columns case, month, time, payer, payee,
        amount and channel, sorted by case and time; ``accounts``, one with account,
        kind and opened; ``cases``, one with case, month and is_fraud; ``planted``, a
        bool array that says of each transfer whether it closes the ring of a fraud.

    Raises
    ------
    ValueError
        If ``mean_accounts`` is below 8, or ``fraud_share`` no share.

    Examples
    --------
    >>> from skshake.datasets import make_payments
    >>> data = make_payments(20, random_state=0)
    >>> [*data.transfers.columns]
    ['case', 'month', 'time', 'payer', 'payee', 'amount', 'channel']
    >>> int(data.cases["is_fraud"].sum())
    5
    """
    import pandas as pd

    if mean_accounts < FEWEST_ACCOUNTS:
        raise ValueError(
            f"mean_accounts: expected at least {FEWEST_ACCOUNTS}, got {mean_accounts}"
        )
    if not 0 <= fraud_share <= 1:
        raise ValueError(f"fraud_share: expected 0 to 1, got {fraud_share}")
    rng = check_random_state(random_state)
    is_fraud = rng.permutation(n_cases) < round(fraud_share * n_cases)
    month = np.arange(n_cases) % n_months
    sizes = FEWEST_ACCOUNTS + rng.poisson(mean_accounts - FEWEST_ACCOUNTS, n_cases)
    n_pool = 10 * int(sizes.max()) + n_cases
    account_ptr, members = _draw_members(rng, sizes, n_pool)
    parts = [
        _draw_ordinary(rng, sizes, mean_transfers),
        _draw_rings(rng, sizes, is_fraud),
    ]
    case, payer, payee, amount, hour = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    is_ring = np.arange(len(case)) >= len(parts[0][0])
    channel = np.where(is_ring, 2, rng.randint(len(CHANNELS), size=len(case)))
    order = np.lexsort((hour, case))
    case, hour = case[order], hour[order]
    starts = np.datetime64(FIRST_MONTH) + month
    names = np.array([f"A{number:06d}" for number in range(n_pool)])
    payer, payee = (members[account_ptr[case] + end[order]] for end in (payer, payee))
    seconds = np.round(3600 * hour).astype("m8[s]")
    transfers = pd.DataFrame(
        {
            "case": case,
            "month": starts[case].astype(str),
            "time": starts[case].astype("M8[s]") + seconds,
            "payer": names[payer],
            "payee": names[payee],
            "amount": np.maximum(np.round(amount[order], 2), 0.01),
            "channel": np.array(CHANNELS)[channel[order]],
        }
    )
    age = rng.randint(30, 3000, size=n_pool).astype("m8[D]")
    accounts = pd.DataFrame(
        {
            "account": names,
            "kind": rng.choice(KINDS, n_pool, p=[0.6, 0.2, 0.2]),
            "opened": (np.datetime64(FIRST_MONTH).astype("M8[D]") - age).astype(
                "M8[s]"
            ),
        }
    )
    cases = pd.DataFrame(
        {
            "case": np.arange(n_cases),
            "month": starts.astype(str),
            "is_fraud": is_fraud,
        }
    )
    planted = is_ring[order] & is_fraud[case]
    return Bunch(transfers=transfers, accounts=accounts, cases=cases, planted=planted)


def _draw_members(
    rng: Any, sizes: np.ndarray, n_pool: int
) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of the accounts of each case, and the accounts, no two alike in one."""
    ptr = offsets(sizes)
    steps = rng.randint(1, n_pool // int(sizes.max()) + 1, size=int(ptr[-1]))
    walked = np.cumsum(steps)
    walked -= np.repeat(walked[ptr[:-1]], sizes)
    start = np.repeat(rng.randint(n_pool, size=len(sizes)), sizes)
    return ptr, (start + walked) % n_pool


def _draw_ordinary(
    rng: Any, sizes: np.ndarray, mean_transfers: float
) -> tuple[np.ndarray, ...]:
    """Transfers between any two accounts: case, payer, payee, amount and hour."""
    case = owner_of(offsets(rng.poisson(mean_transfers, len(sizes))))
    size, draw = sizes[case], rng.random_sample((2, len(case)))
    payer = (draw[0] * size).astype(np.int64)
    # Some are paid often: shops.
    payee = (payer + 1 + (draw[1] ** 2 * (size - 1)).astype(np.int64)) % size
    amount = np.exp(rng.normal(4.5, 1.2, len(case)))
    return case, payer, payee, amount, rng.uniform(0, 650, len(case))


def _draw_rings(
    rng: Any, sizes: np.ndarray, is_fraud: np.ndarray
) -> tuple[np.ndarray, ...]:
    """One ring per case: case, payer, payee, amount and hour of its transfers."""
    length = rng.choice(RING_LENGTHS, len(sizes))
    ptr = offsets(length)
    case = owner_of(ptr)
    step = np.arange(len(case)) - ptr[case]
    first = (rng.random_sample(len(sizes)) * sizes).astype(np.int64)[case]
    payer = (first + step) % sizes[case]
    payee = (first + (step + 1) % length[case]) % sizes[case]
    is_turned = ~is_fraud[case] & (step % 2 == 1)
    payer, payee = np.where(is_turned, [payee, payer], [payer, payee])
    base = np.exp(rng.normal(8.0, 0.6, len(sizes)) + 0.2 * is_fraud)
    amount = base[case] * rng.uniform(0.96, 1.0, len(case))
    hour = rng.uniform(0, 550, len(sizes))[case] + 8 * (
        step + rng.random_sample(len(case))
    )
    return case, payer, payee, amount, hour
