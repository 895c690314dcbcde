"""Missing values filled in by scikit-learn.

usage: impute.py > impute.json
"""
import json, platform, sys
import numpy as np, sklearn
from sklearn.impute import MissingIndicator, SimpleImputer

r = np.random.default_rng(16)
x = np.column_stack([r.normal(size=41), np.round(r.exponential(2, 41)), r.integers(0, 2, 41), r.normal(size=41) * 1e3 + 1e8])
x[r.random(x.shape) < 0.2] = np.nan
x[:, 3] = np.where(np.isnan(x[:, 3]), 1e8, x[:, 3])  # nothing missing in training
new = x[:6].copy()
new[0] = np.nan
text = lambda a: [[None if np.isnan(v) else v for v in row] for row in a.tolist()]
out = {"tool": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, Python {platform.python_version()}", "x": text(x), "new": text(new)}
for name in ["mean", "median", "most_frequent"]:
    out[name] = SimpleImputer(strategy=name, add_indicator=True).fit(x).transform(new).tolist()
json.dump(out, sys.stdout)
