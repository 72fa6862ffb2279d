"""From a chemist's CSV to answers: scaffold split, probabilities, which atoms decide.

Beside a random forest on Morgan fingerprints. Probabilities of new SMILES (a salt, an
invalid one, a missing one) go to ``predictions.csv``, what atoms and bonds add to
``atoms.csv`` and ``atoms.png``, the model to ``model.skops``, for another process.

    python examples/chemist.py bbbp.csv.gz --target p_np
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

import skshake
from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier, check_inputs
from skshake.model_selection import ScaffoldSplit
from skshake.plotting import ExplanationDisplay

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("csv", help="file with a column 'smiles' and one of two classes")
parser.add_argument("--target", default="p_np", help="column of the classes")
parser.add_argument("--folder", type=Path, default=Path(), help="of results")
parser.add_argument("--max-iter", type=int, default=60)
options = parser.parse_args()
table = pd.read_csv(options.csv)
smiles, y = table["smiles"].to_numpy(object), table[options.target].to_numpy()
train, test = next(ScaffoldSplit(test_size=0.1).split(smiles))
reader = MoleculeFeaturizer(on_invalid="empty", fragments="largest")
network = SHAKEClassifier(max_iter=options.max_iter, on_empty="nan", random_state=0)
model = make_pipeline(reader, KFCoarsener(random_state=0), network)
model = CalibratedClassifierCV(model, cv=3, ensemble=False).fit(smiles[train], y[train])
auc = roc_auc_score(y[test], model.predict_proba(smiles[test])[:, 1])
morgan = GetMorganGenerator(radius=2, fpSize=2048)
bits = np.array([morgan.GetFingerprintAsNumPy(m) for m in reader.read(smiles)])
forest = RandomForestClassifier(500, random_state=0).fit(bits[train], y[train])
of_forest = roc_auc_score(y[test], forest.predict_proba(bits[test])[:, 1])
print(f"scaffold ROC-AUC: skshake {auc:.3f}, Morgan fingerprints {of_forest:.3f}")

new = ["CC(=O)Oc1ccccc1C(=O)O", "CCN(CC)CC.Cl", "no molecule", None, "c1ccc2[nH]ccc2c1"]
for problem in check_inputs(model, new):
    print(problem.message)
skshake.save(model, options.folder / "model.skops")
code = "import skshake; print(skshake.load('model.skops').predict_proba(['CCO']))"
subprocess.run([sys.executable, "-c", code], cwd=options.folder, check=True)
answers = pd.DataFrame({"smiles": new, "probability": model.predict_proba(new)[:, 1]})
answers.to_csv(options.folder / "predictions.csv", index=False)
print(answers)
atoms = ExplanationDisplay.from_estimator(model, smiles[test[0]])
atoms.explanation.to_frame().to_csv(options.folder / "atoms.csv", index=False)
atoms.figure_.savefig(options.folder / "atoms.png", dpi=150)
