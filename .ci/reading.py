#!/usr/bin/env python3
"""Times reading a table and fitting it beside readers alone, and prints the table of the README.

usage: reading.py HALFSPACE [FOLDER]

Needs numpy and scikit-learn, and Rscript with data.table. The tables are 400,000 × 30 normal numbers with 17 and with 6
digits and two classes, as CSV and as LIBSVM text. Processor seconds of one thread, the best of five runs that take turns:
ours of the whole process `fit -method lda`, theirs of the call that reads.
"""
import os, resource, subprocess, sys, tempfile, time
import numpy as np
from sklearn.datasets import load_svmlight_file

binary, folder = os.path.abspath(sys.argv[1]), (sys.argv[2:] or [tempfile.mkdtemp()])[0]
os.makedirs(folder, exist_ok=True)
rows, columns, runs = 400_000, 30, 5


def write(digits):
    """The same table in both formats."""
    paths = [f"{folder}/normal{digits}.{kind}" for kind in ("csv", "svm")]
    if all(map(os.path.exists, paths)):
        return paths
    r = np.random.default_rng(7)
    csv_line = ",".join([f"%.{digits}g"] * columns) + ",%d\n"
    svm_line = "%d " + " ".join(f"{j + 1}:%.{digits}g" for j in range(columns)) + "\n"
    with open(paths[0], "w") as csv, open(paths[1], "w") as svm:
        csv.write(",".join(f"x{j + 1}" for j in range(columns)) + ",y\n")
        for x in r.standard_normal((rows, columns)):
            y = x[0] + x[1] + r.standard_normal() > 0
            csv.write(csv_line % (*x, y))
            svm.write(svm_line % (y, *x))
    return paths


def ours(path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([binary, "fit", "-json", "-method", "lda", path], stdout=subprocess.DEVNULL, check=True, env=os.environ | {"GOMAXPROCS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def fread(path):
    code = f'library(data.table); setDTthreads(1); t <- system.time(fread("{path}", showProgress=FALSE)); cat(t[[1]] + t[[2]])'
    return float(subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True).stdout)


def svmlight(path):
    start = time.process_time()
    load_svmlight_file(path)
    return time.process_time() - start


print("| table | MB | halfspace, s | MB/s | peer, s | MB/s | ratio | peer |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
for digits in (17, 6):
    for path, peer, name in zip(write(digits), (fread, svmlight), ("data.table fread", "scikit-learn load_svmlight_file")):
        megabytes = os.path.getsize(path) / 1e6
        own, other = np.min([(ours(path), peer(path)) for _ in range(runs)], axis=0)
        kind = {"csv": "CSV", "svm": "LIBSVM text"}[path[-3:]]
        print(f"| {kind}, {digits} digits | {megabytes:.0f} | {own:.2f} | {megabytes / own:.0f} | {other:.2f} | {megabytes / other:.0f} | {own / other:.2f} | {name} |", flush=True)
