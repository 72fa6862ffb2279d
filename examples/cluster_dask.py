"""Coarsen in the workers of a dask cluster: on this machine, or as jobs of Slurm.

    python examples/cluster_dask.py --folder hierarchies
    python examples/cluster_dask.py --folder /shared/hierarchies --slurm QUEUE
    python examples/cluster_dask.py --slurm QUEUE --print-job

Each worker reads, coarsens and writes parts by itself, so nothing large goes through
the scheduler, and workers need to reach the folder by the same name. ``--print-job``
prints the script that Slurm would be given. Run it again after an interruption: what is
finished stays. Needs ``pip install "skshake[distributed]"``.
"""

import argparse
from functools import partial

import joblib
import numpy as np
from distributed import Client, LocalCluster

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag

N_PARTS = 4


def read_part(number: int):
    """Graphs and labels of a part; yours would read one of many files."""
    graphs, y = load_mutag(return_X_y=True)
    rows = np.array_split(np.arange(len(graphs)), N_PARTS)[number]
    return graphs[rows], y[rows]


def make_cluster(arguments: argparse.Namespace):
    """A cluster of as many workers as asked for, of one thread each."""
    if arguments.slurm is None:
        return LocalCluster(
            n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None
        )
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(
        queue=arguments.slurm,
        cores=1,
        memory="4GB",
        walltime="02:00:00",
        scheduler_options={"dashboard_address": None},
    )
    if not arguments.print_job:
        cluster.scale(jobs=arguments.workers)
    return cluster


def main() -> None:
    """Coarsen in workers, train here."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", default="hierarchies")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--slurm", metavar="QUEUE", help="jobs of Slurm are the workers"
    )
    parser.add_argument("--print-job", action="store_true")
    parser.add_argument("--max-iter", type=int, default=20)
    arguments = parser.parse_args()
    with make_cluster(arguments) as cluster:
        if arguments.print_job:
            print(cluster.job_script())
            return
        with Client(cluster):
            # Resolutions and vocabularies are learnt from a sample, here.
            coarsener = KFCoarsener(random_state=0).fit(read_part(0)[0])
            sources = [partial(read_part, k) for k in range(N_PARTS)]
            with joblib.parallel_config("dask"):
                X = coarsener.transform_to(arguments.folder, sources)
    model = SHAKEClassifier(max_iter=arguments.max_iter, random_state=0).fit(X, X.y)
    print(f"{len(X)} graphs, training accuracy {model.score(X, X.y):.3f}")


if __name__ == "__main__":
    main()
