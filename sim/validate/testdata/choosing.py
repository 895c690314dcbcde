"""Cross-validated paths, scores of classes and calibration of real data by scikit-learn.

usage: choosing.py TABLES > choosing.json
"""
import csv, json, sys
import numpy as np, sklearn
from sklearn import metrics
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.preprocessing import label_binarize
from sklearn.svm import SVC


def table(name, label):
    rows = list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")))
    columns = [c for c in rows[0] if c != label]
    x = np.array([[float(r[c]) if r[c] not in ("Present", "Absent") else float(r[c] == "Present") for c in columns] for r in rows])
    return x, np.array([r[label] for r in rows])


def folded(x, k, fit, loss):
    """The loss of each fold, whose rows are those with i % k equal to its number."""
    fold = np.arange(len(x)) % k
    return [loss(fit(fold != f), fold == f) for f in range(k)]


out = {"tool": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}"}

# Six classes, by a closed form whose probabilities agree to rounding.
x, y = table("fgl", "type")
lda = LinearDiscriminantAnalysis(solver="svd").fit(x, y)
p, taken = lda.predict_proba(x), lda.predict(x)
hot = label_binarize(y, classes=lda.classes_)
out["fgl"] = {
    "f1": metrics.f1_score(y, taken, average=None).tolist(), "macro_f1": metrics.f1_score(y, taken, average="macro"),
    "aucs": [metrics.roc_auc_score(hot[:, k], p[:, k]) for k in range(6)],
    "hand_till": metrics.roc_auc_score(y, p, multi_class="ovo", average="macro"),
    "log_loss": metrics.log_loss(y, p), "brier": float(((p - hot) ** 2).sum(1).mean()), "error": 1 - metrics.accuracy_score(y, taken)}

# Two classes: fitted to even rows, calibrated on those of remainder 1 of 4, judged on the rest.
x, y = table("SAheart", "chd")
y = (y == sorted(set(y))[1]).astype(int)
i = np.arange(len(x))
lda = LinearDiscriminantAnalysis(solver="svd").fit(x[i % 2 == 0], y[i % 2 == 0])
test = i % 4 == 3
f = lda.decision_function(x[test])
out["heart"] = {"average_precision": metrics.average_precision_score(y[test], f), "auc": metrics.roc_auc_score(y[test], f),
                "f1": metrics.f1_score(y[test], lda.predict(x[test]))}
for method in ("sigmoid", "isotonic"):
    c = CalibratedClassifierCV(lda, cv="prefit", method=method).fit(x[i % 4 == 1], y[i % 4 == 1])
    out["heart"][method] = c.predict_proba(x[test])[:, 1].tolist()

# Paths: the loss of each fold and penalty.
lambdas = [100, 10, 1, 0.1]
z = (x - x.mean(0)) / x.std(0)
logistic = lambda l: lambda rows: LogisticRegression(C=1 / l, solver="newton-cholesky", tol=1e-12).fit(z[rows], y[rows])
out["logistic"] = [folded(z, 6, logistic(l), lambda m, rows: metrics.log_loss(y[rows], m.predict_proba(z[rows]))) for l in lambdas]
svc = lambda l: lambda rows: SVC(kernel="linear", C=1 / l, tol=1e-8).fit(z[rows], y[rows])
out["svc"] = [folded(z, 6, svc(l), lambda m, rows: 1 - m.score(z[rows], y[rows])) for l in lambdas]
x, r = table("birthwt", "lwt")
r = r.astype(float)
n = len(x) * 6 / 7  # 189 rows, folds of 27
z = (x - x.mean(0)) / x.std(0)
mse = lambda m, rows: metrics.mean_squared_error(r[rows], m.predict(z[rows]))
net = lambda l: lambda rows: ElasticNet(alpha=l, l1_ratio=0.5, tol=1e-12, max_iter=100000).fit(z[rows], r[rows])
out["elastic_net"] = [folded(z, 7, net(l), mse) for l in lambdas]
ridge = lambda l: lambda rows: Ridge(alpha=l * n).fit(z[rows], r[rows])
out["ridge"] = [folded(z, 7, ridge(l), mse) for l in lambdas]
json.dump(out, sys.stdout, indent=1)
