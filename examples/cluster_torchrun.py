"""Train one network in several processes, which torchrun starts.

    torchrun --nproc-per-node 2 examples/cluster_torchrun.py --folder hierarchies

On a machine with GPUs each process takes one of them; without, each computes on the
CPU, in ``OMP_NUM_THREADS`` threads. On several machines, run the same command on each
with ``--nnodes`` and ``--rdzv-endpoint`` (docs/cluster.md has a job of Slurm that
does). Run it again after an interruption: ``checkpoint`` goes on from the last complete
epoch.
"""

import argparse
from pathlib import Path

import numpy as np
import torch.distributed as dist

from skshake import HierarchyCollection, KFCoarsener, SHAKEClassifier, save
from skshake.datasets import load_mutag


def main() -> None:
    """Write a folder if there is none, train on all ranks, and show on the first."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path("hierarchies"))
    parser.add_argument("--model", type=Path, help="file to write the model to")
    parser.add_argument("--max-iter", type=int, default=20)
    arguments = parser.parse_args()
    dist.init_process_group()
    is_first = dist.get_rank() == 0
    if is_first and not (arguments.folder / "index.json").exists():
        graphs, y = load_mutag(return_X_y=True)
        KFCoarsener(random_state=0).fit(graphs).transform_to(
            arguments.folder, graphs, y
        )
    dist.barrier()
    X = HierarchyCollection.open(arguments.folder)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[20:], order[:20]
    model = SHAKEClassifier(
        max_iter=arguments.max_iter,
        checkpoint=arguments.folder / "checkpoints",
        random_state=0,
        verbose=1,
    )
    # Every process trains, and predicts its part of the test graphs.
    model.fit(X[train], X.y[train])
    accuracy = model.score(X[test], X.y[test])
    if is_first:
        print(f"{dist.get_world_size()} processes, test accuracy {accuracy:.3f}")
        if arguments.model:
            save(model, arguments.model)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
