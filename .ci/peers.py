#!/usr/bin/env python3
"""Times the command beside scikit-learn and R on the same data and prints the table of the README.

usage: peers.py HALFSPACE [FOLDER]

Needs numpy and scikit-learn; with Rscript and glmnet the R rows too. Both sides are timed inside their own
process, without reading: ours is fit_seconds of the best of five runs of the command, theirs the best of three
calls. "worse by" is how much our objective, recomputed here from the printed coefficients, exceeds theirs
(relative; negative: ours is lower; for lda and qda the difference of training errors).
"""
import json, os, platform, subprocess, sys, tempfile, time, warnings
import numpy as np, sklearn
from sklearn.datasets import dump_svmlight_file
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
binary, folder = os.path.abspath(sys.argv[1]), (sys.argv[2:] or [tempfile.mkdtemp()])[0]
os.makedirs(folder, exist_ok=True)


def classes(n, p, k, seed, apart):
    """k Gaussian classes with neighbouring features correlated."""
    r = np.random.default_rng(seed)
    y = np.arange(n) % k
    x = r.standard_normal((n, p))
    x[:, 1:] += 0.6 * x[:, :-1]
    return x + apart / np.sqrt(p) * r.standard_normal((k, p))[y], y


def responses(n, p, relevant, seed):
    """0/1 responses of a logistic model in which the first features matter."""
    r = np.random.default_rng(seed)
    x = r.standard_normal((n, p)) + 0.6 * r.standard_normal((n, 1))
    b = np.where(np.arange(p) < relevant, r.standard_normal(p) * 1.5 / np.sqrt(relevant), 0)
    return x, (r.random(n) < 1 / (1 + np.exp(0.3 - x @ b))).astype(int)


def write(name, x, y):
    path = f"{folder}/{name}.svm"
    if not os.path.exists(path):
        dump_svmlight_file(x, y, path, zero_based=False)
    return path


def ours(*args, reps=5):
    runs = [json.loads(subprocess.run([binary, *args], capture_output=True, check=True).stdout) for _ in range(reps)]
    return min(runs, key=lambda j: j["fit_seconds"])


def theirs(fit, reps=3):
    best = float("inf")
    for _ in range(reps):
        start = time.perf_counter()
        model = fit()
        best = min(best, time.perf_counter() - start)
    return best, model


def row(task, size, mine, seconds, peer, worse):
    worse = worse if abs(worse) > 1e-15 else 0.0  # rounding
    print(f"| {task} | {size} | {mine:.4f} | {seconds:.4f} | {mine / seconds:.2g} | {worse:.0e} | {peer} |", flush=True)


def in_r(x, y, script):
    """What R prints of the columns x and the responses y, as numbers."""
    np.column_stack([y, x]).astype("<f8").tofile(f"{folder}/r.bin")
    n, p = x.shape
    read = f"d <- matrix(readBin('{folder}/r.bin', 'double', {n * (p + 1)}), {n}, byrow=TRUE); x <- d[,-1]; y <- d[,1]\n"
    try:
        out = subprocess.run(["Rscript", "-e", read + script], capture_output=True, text=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        print("(no Rscript, or a package it needs is not there: a row is left out)", file=sys.stderr)
        return None
    return [float(v) for v in out.split()]


def best_in_r(call, then):
    """R that times a call, the best of three as f, and then goes on."""
    return f"t <- min(replicate(3, system.time(f <<- {call})[['elapsed']])); {then}"


print(f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}, {os.cpu_count()} cores\n")
print("| task | n × p | halfspace, s | peer, s | ratio | worse by | peer |\n| --- | --- | --- | --- | --- | --- | --- |")

x, y = classes(100_000, 100, 10, 1, 4)
path = write("classes", x, y)
for method, peers in (("lda", [(s, LinearDiscriminantAnalysis(solver=s)) for s in ("lsqr", "svd")]), ("qda", [("", QuadraticDiscriminantAnalysis())])):
    model = f"{folder}/{method}.json"
    j = ours("fit", "-json", "-method", method, path)
    subprocess.run([binary, "fit", "-method", method, "-o", model, path], capture_output=True, check=True)
    error = json.loads(subprocess.run([binary, "eval", "-json", model, path], capture_output=True, check=True).stdout)["error"]
    seconds, (name, fitted) = min((theirs(lambda: m.fit(x, y))[0], (s, m)) for s, m in peers)
    row(method + ", 10 classes", "100,000 × 100", j["fit_seconds"], seconds, f"scikit-learn {name}".strip(), error - (1 - fitted.score(x, y)))

j = ours("fit", "-json", "-method", "logistic", "-lambda", "1", path)
seconds, m = theirs(lambda: LogisticRegression(C=1.0, tol=1e-6, max_iter=1000).fit(x, y), 1)
def value(b0, b):
    f = x @ np.array(b).T + b0
    top = f.max(1)
    return (top + np.log(np.exp(f - top[:, None]).sum(1)) - f[np.arange(len(y)), y]).sum() + (np.array(b) ** 2).sum() / 2
row("logistic, 10 classes, λ 1", "100,000 × 100", j["fit_seconds"], seconds, "scikit-learn lbfgs", value(j["intercept"], j["coef"]) / value(m.intercept_, m.coef_) - 1)

x, y = responses(100_000, 100, 30, 3)
path = write("responses", x, y)
j = ours("fit", "-json", "-method", "logistic", "-lambda", "1", path)
seconds, m = theirs(lambda: LogisticRegression(C=1.0, tol=1e-6, max_iter=1000).fit(x, y))
value = lambda b0, b: np.logaddexp(0, -(x @ b + b0) * (2 * y - 1)).sum() + b @ b / 2
theirs_value = value(m.intercept_[0], m.coef_[0])
row("ridge logistic, λ 1", "100,000 × 100", j["fit_seconds"], seconds, "scikit-learn lbfgs", value(j["intercept"][0], np.array(j["coef"][0])) / theirs_value - 1)
if found := in_r(x, y, best_in_r("glm.fit(cbind(1, x), y, family=binomial())", "cat(t, format(f$deviance, digits=15))")):
    j = ours("fit", "-json", "-method", "logistic", path)
    row("logistic, maximum likelihood", "100,000 × 100", j["fit_seconds"], found[0], "R glm.fit", j["deviance"] / found[1] - 1)

for n, p, relevant in ((10_000, 1_000, 50), (500, 10_000, 20)):
    x, y = responses(n, p, relevant, p)
    path = write(f"path{p}", x, y)
    found = in_r(x, y, "library(glmnet)\n" + best_in_r("glmnet(x, y, family='binomial')", "cat(t, nrow(x) * f$lambda, f$a0, as.matrix(f$beta))"))
    if not found:
        continue
    j = ours("path", "-json", "-method", "logistic", "-standardize", path)
    k = (len(found) - 1) // (p + 2)
    lambdas, starts, betas = np.split(np.array(found[1:]), [k, 2 * k])
    value = lambda l, b0, b: np.logaddexp(0, -(x @ b + b0) * (2 * y - 1)).sum() + l * np.abs(b * x.std(0)).sum()
    mine = {at["lambda"]: value(at["lambda"], at["intercept"][0], np.array(at["coef"][0])) for at in j["path"]}
    worse = max(min(v for m, v in mine.items() if abs(m / l - 1) < 1e-4) / value(l, b0, b) - 1
                for l, b0, b in zip(lambdas, starts, betas.reshape(k, p)))
    row("lasso logistic, whole path", f"{n:,} × {p:,}", j["fit_seconds"], found[0], "R glmnet", worse)

x, y = classes(10_000, 50, 2, 6, 2)
path = write("overlap", x, y)
j = ours("fit", "-json", "-method", "svc", "-C", "1", path)
seconds, m = theirs(lambda: SVC(kernel="linear", C=1.0, tol=1e-6, cache_size=500).fit(x, y), 1)
value = lambda b0, b: b @ b / 2 + np.maximum(0, 1 - (x @ b + b0) * (2 * y - 1)).sum()
theirs_value = value(m.intercept_[0], m.coef_[0])
row("svc, C 1", "10,000 × 50", j["fit_seconds"], seconds, "scikit-learn (LIBSVM)", value(j["intercept"][0], np.array(j["coef"][0])) / theirs_value - 1)
