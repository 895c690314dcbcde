#!/usr/bin/env python3
"""Sparse fits beside scikit-learn's on the same LIBSVM file, from the file to the model, and how they grow.

usage: sparse.py HALFSPACE [FOLDER]

Needs numpy, scipy, scikit-learn and GNU time. Each side is a process of one thread; "s" is its processor time, reading
included, and "MB" its largest resident size. Rows are documents: 80 words drawn by Zipf's law, some of them
words of their class, rows of length 1. "worse by" is how much our objective, recomputed here with a free
intercept, exceeds theirs (LIBLINEAR penalises its intercept: ours is then lower).
"""
import json, os, subprocess, sys, tempfile
import numpy as np, scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

binary, folder = os.path.abspath(sys.argv[1]), (sys.argv[2:] or [tempfile.mkdtemp()])[0]
os.makedirs(folder, exist_ok=True)
one = dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")


def documents(n, p, k):
    path = f"{folder}/{n}-{p}-{k}.svm"
    if not os.path.exists(path):
        r = np.random.default_rng(9)
        w = 1 / np.arange(1, p + 1) ** 0.9
        y, own = r.integers(0, k, n), r.permutation(p)[: k * 400].reshape(k, 400)
        c = r.choice(p, size=(n, 80), p=w / w.sum())
        m = r.random((n, 80)) < 0.06
        c[m] = own[np.repeat(y[:, None], 80, 1)[m], r.integers(0, 400, m.sum())]
        a = sp.csr_matrix((r.exponential(1, c.size) + 0.1, (np.repeat(np.arange(n), 80), c.ravel())), shape=(n, p))
        a.sum_duplicates()
        dump_svmlight_file(sp.diags(1 / np.sqrt(a.multiply(a).sum(1)).A1) @ a, y, path + ".part", zero_based=False)
        os.rename(path + ".part", path)
    return path


def spent(*args):
    """What a program prints, its processor seconds and its largest resident size in MB."""
    p = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", *args], capture_output=True, env=one, check=True)
    user, system, size = map(float, p.stderr.split()[-3:])
    return p.stdout, user + system, size / 1024


def theirs(path, model):
    script = ("import sys, json; from sklearn.datasets import load_svmlight_file as load; from sklearn.linear_model import LogisticRegression; "
              f"from sklearn.svm import LinearSVC; m = {model}; m.fit(*load('{path}')); json.dump([m.intercept_.tolist(), m.coef_.tolist()], sys.stdout)")
    return spent(sys.executable, "-W", "ignore", "-c", script)


def parameters(out, p):
    j = json.loads(out)
    if isinstance(j, list):
        return np.array(j[0]), np.array(j[1])
    b = np.zeros((len(j["intercept"]), p))
    for k, at in enumerate(j["coef"]["rows"]):
        b[k, at["index"]] = at["value"]
    return np.array(j["intercept"]), b


def logistic(f, y, b):
    f = f if f.shape[1] > 1 else np.hstack([np.zeros_like(f), f])
    top = f.max(1)
    return (top + np.log(np.exp(f - top[:, None]).sum(1)) - f[np.arange(len(y)), y]).sum() + (b * b).sum() / 2


def hinge(f, y, b):
    return np.maximum(0, 1 - f[:, 0] * (2 * y - 1)).sum() + (b * b).sum() / 2


tasks = [
    ("ridge logistic, λ 1", 2, ["logistic", "-lambda", "1"], logistic, {
        "LIBLINEAR": 'LogisticRegression(solver="liblinear", dual=True, tol=1e-3, max_iter=3000)', "lbfgs": "LogisticRegression(tol=1e-5, max_iter=2000)"}),
    ("svc, C 1", 2, ["svc", "-C", "1"], hinge, {"LIBLINEAR": 'LinearSVC(loss="hinge", tol=1e-4, max_iter=3000)'}),
    ("ridge logistic, λ 1", 10, ["logistic", "-lambda", "1"], logistic, {"lbfgs": "LogisticRegression(tol=1e-4, max_iter=1000)"}),
]
n, p = 40_000, 50_000
print("| task | halfspace, s | MB | peer, s | MB | ratio | worse by | peer |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
for name, k, args, loss, peers in tasks:
    path = documents(n, p, k)
    x, y = load_svmlight_file(path, n_features=p)
    y = y.astype(int)
    objective = lambda out: (lambda b0, b: loss(x @ b.T + b0, y, b))(*parameters(out, p))
    out, seconds, size = spent(binary, "fit", "-json", "-method", *args, path)
    for peer, model in peers.items():
        other, peer_seconds, peer_size = theirs(path, model)
        print(f"| {name}, {k} classes | {seconds:.1f} | {size:.0f} | {peer_seconds:.1f} | {peer_size:.0f} | {seconds / peer_seconds:.2g} "
              f"| {objective(out) / objective(other) - 1:.0e} | {peer} |", flush=True)

print(f"\n{x.nnz:,} values in {n:,} × {p:,}: {12 * x.nnz / 1e6:.0f} MB as CSR. Ridge logistic, s, of\n")
print("| n | p | classes | s | MB |\n| --- | --- | --- | --- | --- |")
for n, p, k in ((20_000, 50_000, 2), (40_000, 50_000, 2), (80_000, 50_000, 2), (40_000, 25_000, 2), (40_000, 100_000, 2), (40_000, 50_000, 5), (40_000, 50_000, 10), (40_000, 50_000, 20)):
    _, seconds, size = spent(binary, "fit", "-json", "-method", "logistic", "-lambda", "1", documents(n, p, k))
    print(f"| {n:,} | {p:,} | {k} | {seconds:.1f} | {size:.0f} |", flush=True)
