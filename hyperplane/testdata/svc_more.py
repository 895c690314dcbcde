"""Three classes, class weights and regression by LIBSVM (through scikit-learn), and LIBLINEAR's penalised intercept.

usage: svc_more.py TABLES > svc_more.json

See svc_libsvm.py on LIBSVM's single precision; the dual objectives are recomputed here in double precision.
"""
import csv, json, sys
import numpy as np, sklearn
from sklearn.svm import SVC, SVR, LinearSVC
from svc_libsvm import table, standardise

def dual(X, a, eps=0, y=None):       # a signed
    b = a @ (X - X.mean(0))
    return (np.abs(a).sum() if y is None else y @ a - eps * np.abs(a).sum()) - b @ b / 2

folder = sys.argv[1]
iris = table(f"{folder}/iris.csv", "species")
X, y = iris; out = dict(tool=f"scikit-learn {sklearn.__version__}, tol 1e-10")
m = SVC(kernel="linear", C=1, tol=1e-10, decision_function_shape="ovo").fit(X, y)
grid = np.array([[a, b, c, d] for a in (4.5, 5.5, 6.5, 7.5) for b in (2.2, 3.0, 3.8) for c in (1.5, 3.5, 4.9, 6.0) for d in (.3, 1.2, 1.7, 2.3)])
out["three"] = dict(coef=m.coef_.tolist(), intercept=m.intercept_.tolist(), predicted=m.predict(X).tolist(), grid=grid.tolist(), grid_predicted=m.predict(grid).tolist())
k = y > 0; m = SVC(kernel="linear", C=1, tol=1e-10, class_weight={1: 1, 2: 5}).fit(X[k], y[k]); a = np.zeros(k.sum()); a[m.support_] = m.dual_coef_[0]
out["weighted"] = dict(dual=dual(X[k], a), coef=m.coef_[0].tolist(), intercept=m.intercept_[0])
X, y = table(f"{folder}/SAheart.csv", "chd"); X = standardise(X)
m = LinearSVC(loss="hinge", C=.1, tol=1e-10, max_iter=10_000_000, intercept_scaling=1.0).fit(X, y)
out["liblinear"] = dict(C=.1, coef=m.coef_[0].tolist(), intercept=m.intercept_[0])
R = []
for name, X, y in (("petal width of iris", *(lambda T: (T[:, :3], T[:, 3]))(iris[0])), ("age of SAheart", *(lambda T: (T[:, :8], T[:, 8] * 10))(X))):
    for C, eps in ((.01, .1), (1, .1), (10, .5), (1, 0), (.1, 0)):
        m = SVR(kernel="linear", C=C, epsilon=eps, tol=1e-10, max_iter=5_000_000).fit(X, y); a = np.zeros(len(y)); a[m.support_] = m.dual_coef_[0]
        r = np.abs(y - m.predict(X)); p = m.coef_[0] @ m.coef_[0] / 2 + C * np.maximum(0, r - eps).sum(); d = dual(X, a, eps, y)
        R.append(dict(name=name, C=C, epsilon=eps, dual=d, slack=(p - d) / max(1, p), coef=m.coef_[0].tolist(), intercept=m.intercept_[0], support=len(m.support_)))
        print(name, C, eps, p, d, (p - d) / p, len(m.support_), m.n_iter_, file=sys.stderr)
out["regression"] = R
json.dump(out, sys.stdout, indent=1)
