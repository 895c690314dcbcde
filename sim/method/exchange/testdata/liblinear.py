"""Models of LIBLINEAR and LIBSVM, and what the tools predict by them.

usage: liblinear.py TABLES > liblinear.json

Needs liblinear-train, svm-train and their predictors (Debian: liblinear-tools, libsvm-tools). Predictors print
probabilities to six digits.
"""
import csv, json, os, subprocess, sys, tempfile

rows = list(csv.DictReader(open(f"{sys.argv[1]}/iris.csv")))
species = sorted({r["species"] for r in rows})
columns = [c for c in rows[0] if c != "species"]
x = [[float(r[c]) for c in columns] for r in rows]
y = [species.index(r["species"]) for r in rows]
every = range(0, 150, 9)   # rows that are predicted
os.chdir(tempfile.mkdtemp())

def write(name, keep, label):
    with open(name, "w") as f:
        for i in keep: f.write(f"{label(i)} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x[i])) + "\n")

sets = {"three": [7, -3, 2], "two": [None, -1, 1], "other": [None, 2, 1]}
for name, labels in sets.items():
    write(name, [i for i in range(150) if labels[y[i]] is not None], lambda i: labels[y[i]])
write("value", range(150), lambda i: 2 * x[i][0] - x[i][1])
write("rows", every, lambda i: 0)

def run(*words): return subprocess.run(words, check=True, capture_output=True, text=True).stdout

def case(name, train, predict, proba):
    run(*train, "model")
    tool = dict(name=name, model=open("model").read())
    run(predict, "rows", "model", "out"); tool["predicted"] = [float(v) for v in open("out").read().split()]
    if proba:
        run(predict, "-b", "1", "rows", "model", "out"); head, *lines = open("out").read().splitlines()
        tool["labels"], tool["proba"] = head.split()[1:], [[float(v) for v in line.split()[1:]] for line in lines]
    return tool

cases = []
for s in [0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13]:
    for name in ["value"] if s > 10 else ["three", "two", "other"] if s in (0, 4) else ["three", "two"]:
        cases.append(case(f"liblinear -s {s}, {name}", ["liblinear-train", "-q", "-s", str(s), "-B", "1" if s % 2 else "-1", name], "liblinear-predict", s in (0, 6, 7)))
for s, c, b, name in [(0, 1, 1, "three"), (0, 1, 0, "two"), (1, 1, 1, "other"), (2, 1, 0, "two"), (3, .01, 0, "value"), (4, .01, 0, "value")]:
    words = ["svm-train", "-q", "-t", "0", "-s", str(s), "-c", str(c), "-n", ".2", "-b", str(b), name]
    cases.append(case(f"libsvm -s {s}, {name}", words, "svm-predict", b == 1))
version = run("dpkg-query", "-W", "-f", "${Package} ${Version} ", "liblinear-tools", "libsvm-tools").strip()
print(json.dumps(dict(tool=version, rows=[x[i] for i in every], cases=cases), separators=(",", ":")))
