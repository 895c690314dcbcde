"""Soft margins by LIBSVM, through scikit-learn, for the goldens of the SVC.

usage: svc_libsvm.py TABLES > svc_libsvm.json

LIBSVM keeps its kernel in single precision, so its primal objective is off by up to 1e-6. Its multipliers are
feasible all the same, and the dual objective at feasible multipliers is below the optimum by the square of their
error: that, recomputed here in double precision, is the golden. `slack` is how far apart LIBSVM's own primal and
dual are, relative; where that is large, LIBSVM has no more to say.

Where LIBSVM ends at its cap of iterations, rounding decides where it stands by then.
undetermined: /sets/(iris 1 2/8|Pima-tr/4|SAheart standardised/6)/
"""
import csv, json, sys, time, warnings
import numpy as np, sklearn
from sklearn.svm import SVC
warnings.filterwarnings("ignore")

def table(path, label):
    rows = list(csv.reader(open(path))); head = rows[0]; rows = rows[1:]; cols = []
    for j, h in enumerate(head):
        cells = [r[j] for r in rows]
        if h == label: names = sorted(set(cells)); y = np.array([names.index(c) for c in cells]); continue
        try: cols.append([float(c) for c in cells])
        except ValueError:
            for level in sorted(set(cells))[1:]: cols.append([float(c == level) for c in cells])
    return np.array(cols).T, y

def standardise(X): return (X - X.mean(0)) / X.std(0)

def solve(X, y, C):
    t = time.time(); m = SVC(kernel="linear", C=C, tol=1e-10, max_iter=2_000_000, cache_size=500).fit(X, y); s = np.where(y == 1, 1.0, -1.0)
    a = np.zeros(len(y)); a[m.support_] = m.dual_coef_[0]
    c = X.mean(0); b = a @ (X - c); f = X @ m.coef_[0] + m.intercept_[0]
    dual = np.abs(a).sum() - b @ b / 2; primal = m.coef_[0] @ m.coef_[0] / 2 + C * np.maximum(0, 1 - s * f).sum()
    print(f"{C:g} {time.time()-t:.2f}s gap {(primal-dual)/max(1,primal):.1e} sv {len(m.support_)} it {m.n_iter_}", file=sys.stderr)
    return dict(C=C, dual=dual, slack=abs(primal - dual) / max(1, abs(primal)), coef=list(m.coef_[0]), intercept=m.intercept_[0], support=len(m.support_))

def main(folder):
    sets = {}
    X, y = table(f"{folder}/iris.csv", "species")
    for a, b in ((0, 1), (0, 2), (1, 2)):
        k = (y == a) | (y == b); sets[f"iris {a} {b}"] = (X[k], (y[k] == b).astype(int))
    X, y = table(f"{folder}/crabs.csv", "sp"); sets["crabs"] = (X, y)
    X, y = table(f"{folder}/Pima-tr.csv", "type"); sets["Pima-tr"] = (X, y)
    X, y = table(f"{folder}/SAheart.csv", "chd"); sets["SAheart standardised"] = (standardise(X), y)
    out = dict(tool=f"scikit-learn {sklearn.__version__}, tol 1e-10", sets={})
    for name, (X, y) in sets.items():
        print(name, X.shape, file=sys.stderr)
        out["sets"][name] = [solve(X, y, C) for C in (1e-3, 1e-2, .1, 1, 10, 100, 1e3, 1e4, 1e6)]
    json.dump(out, sys.stdout, indent=1)

if __name__ == "__main__": main(*sys.argv[1:])
