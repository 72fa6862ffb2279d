"""Coarsen in the workers of ray: on this machine, or on a cluster that runs already.

    python examples/cluster_ray.py --folder hierarchies
    python examples/cluster_ray.py --folder /shared/hierarchies --address auto

Each worker reads, coarsens and writes parts by itself, and needs to reach the folder by
the same name. Run it again after an interruption: what is finished stays. Needs
``pip install ray``.
"""

import argparse
from functools import partial

import joblib
import numpy as np

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag

N_PARTS = 4


def read_part(number: int):
    """Graphs and labels of a part; yours would read one of many files."""
    graphs, y = load_mutag(return_X_y=True)
    rows = np.array_split(np.arange(len(graphs)), N_PARTS)[number]
    return graphs[rows], y[rows]


def main() -> None:
    """Coarsen in workers, train here."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", default="hierarchies")
    parser.add_argument("--address", help="of a cluster; none starts workers here")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--max-iter", type=int, default=20)
    arguments = parser.parse_args()
    # Imported here, so that --help works without ray.
    import ray
    from ray.util.joblib import register_ray

    where = {"address": arguments.address}
    if arguments.address is None:
        where = {"num_cpus": arguments.workers, "include_dashboard": False}
    ray.init(**where)
    register_ray()
    # Resolutions and vocabularies are learnt from a sample, here.
    coarsener = KFCoarsener(random_state=0).fit(read_part(0)[0])
    sources = [partial(read_part, k) for k in range(N_PARTS)]
    with joblib.parallel_config("ray"):
        X = coarsener.transform_to(arguments.folder, sources)
    ray.shutdown()
    model = SHAKEClassifier(max_iter=arguments.max_iter, random_state=0).fit(X, X.y)
    print(f"{len(X)} graphs, training accuracy {model.score(X, X.y):.3f}")


if __name__ == "__main__":
    main()
