"""statsmodels' MNLogit on overlapping three- and four-class data.

usage: multinom.py TABLES > multinom.json
"""
import csv, json, sys
import numpy as np
import statsmodels, statsmodels.api as sm

folder = sys.argv[1]


def table(name, label, columns):
    rows = list(csv.DictReader(open(f"{folder}/{name}.csv")))
    x = np.array([[float(r[c]) for c in columns] for r in rows])
    names = sorted({r[label] for r in rows})
    return x, np.array([names.index(r[label]) for r in rows])


def fit(x, y):
    """MNLogit's reference is its first class: the labels are turned round to make
    it the last."""
    k = y.max()
    m = sm.MNLogit(k - y, sm.add_constant(x)).fit(method="newton", tol=1e-15, maxiter=100, disp=0)
    return {"coef": m.params.T[::-1].tolist(), "se": np.asarray(m.bse).T[::-1].tolist(), "p": np.asarray(m.pvalues).T[::-1].tolist(),
            "llf": m.llf, "llnull": m.llnull, "aic": m.aic, "bic": m.bic}


x, y = table("iris", "species", ["sepal_width"])
out = {"tool": f"statsmodels {statsmodels.__version__}", "iris": fit(x, y)}
x, y = table("birthwt", "race", ["age", "lwt", "smoke", "ftv", "low"])
out["birthwt"] = fit(x, y)
x, y = table("fgl", "type", ["Na", "Si"])
x, y = x[y != 1], y[y != 1]  # headlamps are separable from the rest
out["fgl"] = fit(x, np.searchsorted(np.unique(y), y))
json.dump(out, sys.stdout, indent=1)
