"""Transforms of seeded rows by scikit-learn.

usage: feature.py > feature.json
"""
import json, platform, sys
import numpy as np, sklearn
from sklearn.preprocessing import PolynomialFeatures, QuantileTransformer, StandardScaler

r = np.random.default_rng(2)
x = np.column_stack([r.normal(size=250), np.round(r.exponential(3, 250)), r.normal(size=250) ** 3 * 1e6 + 1e8, r.integers(0, 2, 250), np.full(250, 4.0)])
new = np.vstack([x[:20], r.normal(size=(5, 5)) * [3, 9, 1e7, 1, 9] + [0, 3, 1e8, 0, 4]])
w = r.integers(0, 4, 250)
small = x[:5, :3]  # its quantiles are its rows exactly
q = QuantileTransformer(n_quantiles=100, subsample=10**9).fit(x)
q5 = QuantileTransformer(n_quantiles=5, subsample=10**9).fit(small)
s, sw = StandardScaler().fit(x), StandardScaler().fit(x, sample_weight=w)
poly = {}
for p, d, inter in [(2, 2, False), (3, 3, False), (4, 3, True)]:
    f = PolynomialFeatures(d, interaction_only=inter, include_bias=False).fit(new[:, :p])
    poly[f"{p} {d} {inter}"] = {"names": f.get_feature_names_out(list("abcd")[:p]).tolist(), "row": f.transform([[2.0, 3.0, 5.0, 7.0][:p]])[0].tolist()}
json.dump({
    "tool": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, Python {platform.python_version()}",
    "x": x.tolist(), "new": new.tolist(), "w": w.tolist(),
    "quantiles": q.transform(new).tolist(), "small": q5.transform(new[:, :3]).tolist(),
    "mean": s.mean_.tolist(), "sd": np.sqrt(s.var_).tolist(), "weighted_mean": sw.mean_.tolist(), "weighted_sd": np.sqrt(sw.var_).tolist(),
    "poly": poly,
}, sys.stdout)
