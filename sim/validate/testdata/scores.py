"""Scores of seeded predictions by scikit-learn and statsmodels.

usage: scores.py > scores.json
"""
import json, platform, sys
import numpy as np, sklearn, statsmodels
from sklearn import metrics
from statsmodels.stats.contingency_tables import mcnemar

r = np.random.default_rng(1)
n = 60
truth = r.integers(0, 3, n)
logits = r.normal(size=(n, 3)) + 1.5 * np.eye(3)[truth]
proba = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
a, b = proba.argmax(1), r.integers(0, 3, n)
two = (truth > 0).astype(int)
score = np.round(proba[:, 1] + proba[:, 2], 1)  # with ties
y, f = r.normal(size=n), r.normal(size=n)
t = [[int(((a == truth) & (b == truth)).sum()), int(((a == truth) & (b != truth)).sum())],
     [int(((a != truth) & (b == truth)).sum()), int(((a != truth) & (b != truth)).sum())]]
exact, chi2 = mcnemar(t, exact=True), mcnemar(t, exact=False, correction=True)
big = mcnemar([[0, 700], [810, 0]], exact=True)
json.dump({
    "tool": f"scikit-learn {sklearn.__version__}, statsmodels {statsmodels.__version__}, numpy {np.__version__}, Python {platform.python_version()}",
    "truth": truth.tolist(), "proba": proba.tolist(), "a": a.tolist(), "b": b.tolist(), "score": score.tolist(), "y": y.tolist(), "f": f.tolist(),
    "confusion": metrics.confusion_matrix(truth, a).tolist(),
    "recall": metrics.recall_score(truth, a, average=None).tolist(), "precision": metrics.precision_score(truth, a, average=None).tolist(),
    "error": 1 - metrics.accuracy_score(truth, a), "log_loss": metrics.log_loss(truth, proba), "brier": float(((proba - np.eye(3)[truth]) ** 2).sum(1).mean()),
    "auc": metrics.roc_auc_score(two, score), "mse": metrics.mean_squared_error(y, f), "r2": metrics.r2_score(y, f),
    "mcnemar_p": exact.pvalue, "mcnemar_statistic": chi2.statistic, "mcnemar_big_p": big.pvalue,
}, sys.stdout, indent=1)
