"""Writes factor.json: what LAPACK says about the iris data, for linalg's golden test.

usage: factor.py TABLES > factor.json

Two of the generalised eigenvalues are 0; any basis of their space will do.
undetermined: /pair_vectors/[01]/
"""
import csv, json, sys
import numpy as np
import scipy
import scipy.linalg as sl

rows = list(csv.reader(open(sys.argv[1] + "/iris.csv")))[1:]
x = np.array([[float(v) for v in r[:4]] for r in rows])
y = np.array([r[4] for r in rows])
m = x.mean(0)
c = x - m
w = sum((x[y == k] - x[y == k].mean(0)).T @ (x[y == k] - x[y == k].mean(0)) for k in sorted(set(y)))
b = c.T @ c - w
# A column that the others determine, for the solution of least norm.
x5 = np.column_stack([c, c[:, 0] - 2 * c[:, 2]])
# Pivots of columns of one length; the first is a hair longer, to win the tie.
u = c / np.linalg.norm(c, axis=0)
u[:, 0] *= 1 + 1e-13
r, piv = sl.qr(u, mode="r", pivoting=True)
json.dump({
    "numpy": np.__version__, "scipy": scipy.__version__,
    "gram": w.tolist(), "between": b.tolist(),
    "eigenvalues": np.linalg.eigvalsh(w).tolist(),
    "vectors": np.linalg.eigh(w)[1].T.tolist(),
    "pair": sl.eigh(b, w)[0].tolist(), "pair_vectors": sl.eigh(b, w)[1].T.tolist(),
    "singular": np.linalg.svd(c)[1].tolist(), "right": np.linalg.svd(c)[2].tolist(),
    "logdet": np.linalg.slogdet(w)[1], "cholesky": np.linalg.cholesky(w).tolist(),
    "pivots": np.abs(np.diag(r)).tolist(), "perm": piv.tolist(),
    "rank": int(np.linalg.matrix_rank(x5)),
    "min_norm": np.linalg.lstsq(x5, np.arange(150.0), rcond=1e-10)[0].tolist(),
}, sys.stdout, indent=1)
print()
