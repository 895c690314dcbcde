#!/usr/bin/env python3
"""How far fits of scikit-learn and LIBLINEAR, with their default tolerances, are from the minimum of their objective.

usage: .ci/audits.py ./halfspace       (needs scikit-learn with pandas, and liblinear-train)

Each number is a bound that `halfspace audit` proves: by how much the objective is above its minimum at most, relative to
it. The tables are those of linalg/linalgtest/testdata, as they are, with C = 1 and λ = 1. LIBLINEAR has no bias here.
"""
import json, os, pathlib, subprocess, sys, tempfile, warnings

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "sim/method/exchange/testdata"))
from snippet import save
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
command = str(pathlib.Path(sys.argv[1]).resolve())
sets = {"iris": "species", "SAheart": "chd", "Pima-tr": "type", "fgl": "type", "birthwt": "low"}
logistic, lasso, machine = ["-lambda", "1"], ["-lambda", "1", "-l1-ratio", "1"], ["-C", "1"]
estimators = {
    "LogisticRegression()": (LogisticRegression, {}, logistic),
    'LogisticRegression(penalty="l1", solver="saga")': (LogisticRegression, dict(penalty="l1", solver="saga"), lasso),
    'SVC(kernel="linear")': (SVC, dict(kernel="linear"), machine),
}
solvers = {"liblinear-train -s 0": ("0", logistic), "liblinear-train -s 7": ("7", logistic), "liblinear-train -s 3": ("3", machine)}


def audit(model, data, flags):
    words = [command, "audit", "-json", *flags, model, data]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return f"{found['excess'] / found['objective']:.0e}"


table = {name: [] for name in [*estimators, *solvers]}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, label in sets.items():
        d = pd.read_csv(root / f"linalg/linalgtest/testdata/{name}.csv")
        y = d[label]
        x = pd.get_dummies(d.drop(columns=[label, *({"bwt"} & set(d))]), drop_first=True).astype(float)
        x.assign(**{label: y}).to_csv("d.csv", index=False, float_format="%.17g")
        with open("d.svm", "w") as f:
            for row, code in zip(x.values, pd.Categorical(y).codes):
                f.write(f"{code + 1} " + " ".join(f"{j + 1}:{v:.17g}" for j, v in enumerate(row)) + "\n")
        for fit, (estimator, settings, flags) in estimators.items():
            save(estimator(**settings).fit(x, y), "model.json")
            table[fit].append(audit("model.json", "d.csv", flags))
        for fit, (solver, flags) in solvers.items():
            subprocess.run(["liblinear-train", "-q", "-s", solver, "d.svm", "model"], check=True, capture_output=True)
            table[fit].append(audit("model", "d.svm", [*flags, "-no-intercept"]))
print("| fit, defaults | " + " | ".join(sets) + " |\n| --- " + "| --- " * len(sets) + "|")
for fit, cells in table.items():
    print(f"| `{fit}` | " + " | ".join(cells) + " |")
