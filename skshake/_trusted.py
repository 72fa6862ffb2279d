"""Types of which `load` makes objects without being asked to.

Named one by one: whatever is named here can be called by any file that is read, with
any arguments. skops knows the estimators of scikit-learn, arrays, sparse matrices and
random states itself.
"""

from __future__ import annotations

from itertools import chain

_OURS = {
    "skshake._classifier": ["SHAKEClassifier"],
    "skshake._coarsener": ["KFCoarsener"],
    "skshake._featurizer": ["MoleculeFeaturizer"],
    "skshake._reduction": ["Reduction"],
    "skshake._regressor": ["SHAKERegressor"],
    "skshake._states": ["Items"],
    "skshake._targets": ["ClassTarget", "LabelTarget", "NumberTarget"],
    "skshake._vectorizer": ["SubtreeVectorizer"],
    "skshake.ensemble._classifier": ["SHAKEEnsembleClassifier"],
    "skshake.ensemble._columns": ["EachColumn", "JointForest"],
    "skshake.ensemble._regressor": ["SHAKEEnsembleRegressor"],
    "skshake.ensemble._trees": ["OutOfBagVectorizer"],
    # Behind FunctionTransformer.
    "skshake.graphs._convert": ["as_graphs"],
    "skshake.graphs._features": ["Field"],
    "skshake.hierarchy._aggregation": ["Aggregation"],
    "skshake.hierarchy._categories": ["Vocabulary"],
    "skshake.hierarchy._coarsening": ["Pooling"],
    "skshake.model_selection._scaffold": ["ScaffoldSplit"],
    "skshake.model_selection._time": ["GroupedTimeSplit"],
    "skshake.network._losses": ["Loss"],
    "skshake.network._plan": [
        "EpochRecord",
        "FeatureWidths",
        "NetworkShape",
        "NetworkState",
    ],
    "skshake.network.batches._epoch": ["shuffled_batches"],
    "skshake.resolution._objective": ["ResolutionCurves"],
    "skshake.subtrees._statistics": ["Statistics"],
    "skshake.subtrees._unfolding": ["Subtrees"],
}
_OF_OTHERS = {
    "datetime": ["date", "datetime", "time", "timedelta", "timezone"],
    "pathlib": ["PosixPath", "WindowsPath"],
    "scipy.sparse._csc": ["csc_array", "csc_matrix"],
    "scipy.sparse._csr": ["csr_array", "csr_matrix"],
    # As a parameter ``device``.
    "torch": ["device"],
}
# What searches, calibrations, thresholds and forests are made of. Those of gradient
# boosting are left to the user.
_SKLEARN = {
    "sklearn.calibration": [
        "_CalibratedClassifier",
        "_SigmoidCalibration",
        "_TemperatureScaling",
    ],
    "sklearn.feature_selection._mutual_info": [
        "mutual_info_classif",
        "mutual_info_regression",
    ],
    "sklearn.feature_selection._univariate_selection": [
        "chi2",
        "f_classif",
        "f_regression",
    ],
    "sklearn.metrics._classification": [
        "accuracy_score",
        "balanced_accuracy_score",
        "brier_score_loss",
        "cohen_kappa_score",
        "f1_score",
        "jaccard_score",
        "log_loss",
        "matthews_corrcoef",
        "negative_likelihood_ratio",
        "negative_predictive_value",
        "positive_likelihood_ratio",
        "precision_score",
        "recall_score",
    ],
    "sklearn.metrics._ranking": [
        "average_precision_score",
        "roc_auc_score",
        "top_k_accuracy_score",
    ],
    "sklearn.metrics._regression": [
        "d2_absolute_error_score",
        "explained_variance_score",
        "max_error",
        "mean_absolute_error",
        "mean_absolute_percentage_error",
        "mean_gamma_deviance",
        "mean_poisson_deviance",
        "mean_squared_error",
        "mean_squared_log_error",
        "median_absolute_error",
        "r2_score",
        "root_mean_squared_error",
        "root_mean_squared_log_error",
    ],
    "sklearn.metrics._scorer": [
        "_CurveScorer",
        "_MultimetricScorer",
        "_PassthroughScorer",
        "_Scorer",
    ],
    "sklearn.model_selection._split": [
        "GroupKFold",
        "GroupShuffleSplit",
        "KFold",
        "LeaveOneGroupOut",
        "LeaveOneOut",
        "LeavePGroupsOut",
        "LeavePOut",
        "PredefinedSplit",
        "RepeatedKFold",
        "RepeatedStratifiedKFold",
        "ShuffleSplit",
        "StratifiedGroupKFold",
        "StratifiedKFold",
        "StratifiedShuffleSplit",
        "TimeSeriesSplit",
        "_CVIterableWrapper",
    ],
    "sklearn.model_selection._search_successive_halving": [
        "HalvingGridSearchCV",
        "HalvingRandomSearchCV",
    ],
    "sklearn.tree._tree": ["Tree"],
    "sklearn.utils._bunch": ["Bunch"],
    "sklearn.utils._metadata_requests": ["MetadataRequest", "MethodMetadataRequest"],
}
TRUSTED = [
    f"{module}.{name}"
    for module, names in chain(_OURS.items(), _OF_OTHERS.items(), _SKLEARN.items())
    for name in names
]
