"""The paper's Table 1: q* as learnt here beside the paper's, and what it leaves.

    python examples/reproduce/table1.py --data DATA --datasets molhiv DD COLLAB

DATA holds ``graphs/<NAME>.npz`` and ``molecules/molhiv.csv.gz``; sets that are not
there are downloaded to it. q* is learnt from the training part of the split.
"""

import argparse
import time
from pathlib import Path

from _paper import SETTINGS, load, split

from skshake import KFCoarsener


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--datasets", nargs="+", choices=SETTINGS, default=[*SETTINGS])
    arguments = parser.parse_args()
    print(
        f"{'set':18} {'graphs':>7} {'q, paper':>9} {'q*':>8} {'nodes':>7} {'edges':>7} "
        f"{'seconds':>8}"
    )
    for name in arguments.datasets:
        data = load(name, arguments.data)
        graphs = data.data[split(data, seed=0)["train"]]
        start = time.perf_counter()
        coarsener = KFCoarsener(random_state=0, n_jobs=-1).fit(graphs)
        seconds = time.perf_counter() - start
        reduction = coarsener.reduction_
        print(
            f"{name:18} {len(graphs):7} {SETTINGS[name].q:>9} "
            f"{coarsener.q_star_:8.3f} {reduction.nodes[0]:7.1%} "
            f"{reduction.edges[0]:7.1%} {seconds:8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
