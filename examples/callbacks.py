"""
Callbacks: watch it train
=========================

Callbacks are told what happens while a pipeline is fitted. The two classes here are to
be copied and changed: they write loss, validation score and seconds of each epoch to
TensorBoard if that is installed (``pip install tensorboard``), else to a file with a
line of JSON for each. The bar is scikit-learn's own. Needs scikit-learn 1.9, and rich::

    python examples/callbacks.py --folder logs
"""

# %%
# A callback is any object with these four methods.

import argparse
import json
import tempfile
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.callback import ProgressBar
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_bace
from skshake.plotting import LearningCurveDisplay


class FileLogger:
    """Appends each epoch to a file, as a line of JSON."""

    def __init__(self, folder):
        self.folder = folder

    def setup(self, estimator, context):
        self.folder.mkdir(parents=True, exist_ok=True)

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "epoch":
            with open(self.folder / "epochs.jsonl", "a") as log:
                log.write(json.dumps(asdict(estimator.history_[-1])) + "\n")

    def teardown(self, estimator, context):
        pass


class TensorBoardLogger(FileLogger):
    """Writes each epoch to TensorBoard, each fit as a run of its own."""

    def setup(self, estimator, context):
        from torch.utils.tensorboard import SummaryWriter

        self.writer = SummaryWriter(self.folder / f"{context.init_time:%d-%H%M%S-%f}")

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "epoch":
            values = asdict(estimator.history_[-1])
            epoch = values.pop("epoch")
            for name, value in values.items():
                if value is not None:
                    self.writer.add_scalar(name, value, epoch)

    def teardown(self, estimator, context):
        self.writer.close()
        # Nothing open stays behind: searches pickle their callbacks.
        del self.writer


# %%
# Each epoch is a task under the task "fit", and its record is the last of ``history_``.

parser = argparse.ArgumentParser(description="Watch a model train.")
parser.add_argument("--folder", type=Path, default=Path(tempfile.mkdtemp()))
parser.add_argument("--max-iter", type=int, default=30)
arguments = parser.parse_args()

graphs, y = load_bace(return_X_y=True)
classifier = SHAKEClassifier(
    max_iter=arguments.max_iter, early_stopping=True, random_state=0
)
logger = TensorBoardLogger if find_spec("tensorboard") else FileLogger
classifier.set_callbacks(logger(arguments.folder))
model = make_pipeline(KFCoarsener(random_state=0), classifier)
model.set_callbacks(ProgressBar()).fit(graphs, y)
print(f"best validation score: {classifier.best_score_:.3f}")
print(f"each of {classifier.n_iter_} epochs: {arguments.folder}")

# %%
# What was written.

for file in sorted(arguments.folder.glob("*.jsonl")):
    print("".join(file.open().readlines()[:3]))
LearningCurveDisplay.from_estimator(classifier)
plt.show()
