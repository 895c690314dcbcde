"""Goldens of shrunk LDA by scikit-learn's eigen solver, whose covariances divide by N.

Its class covariances are weighted by the priors. Its vectors are left out: it takes
the between-class matrix as the shrunk total less the shrunk within, which is not B.

usage: shrinkage.py TABLES > shrinkage.json
"""
import csv, json, sys
import numpy, sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA, QuadraticDiscriminantAnalysis as QDA

rows = list(csv.reader(open(sys.argv[1] + "/iris.csv")))[1:]
x = numpy.array([[float(v) for v in r[:4]] for r in rows])
y = numpy.array([r[4] for r in rows])
out = {"tool": f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}", "sets": []}
for s in (0.0, 0.1, 0.5, 1.0):
    m = LDA(solver="eigen", shrinkage=s, priors=[0.2, 0.3, 0.5]).fit(x, y)
    out["sets"].append({"shrinkage": s, "posterior": m.predict_proba(x[::3]).tolist()})
json.dump(out, sys.stdout)
