import json, numpy, sklearn
def describe(e):
    if isinstance(e, type) or not hasattr(e, "get_params"):
        return e.tolist() if isinstance(e, (numpy.ndarray, numpy.generic)) else str(e)
    rows = ("support_", "support_vectors_", "dual_coef_", "named_transformers_")  # rows of the data, and a copy
    names = [k for k in dir(e) if k[-1] == "_" != k[0] and k not in rows and hasattr(e, k)]
    return {"type": type(e).__name__, "params": e.get_params(deep=False), "fitted": {k: getattr(e, k) for k in names}}
def save(model, path):
    text = json.dumps({"scikit-learn": sklearn.__version__, "model": model}, default=describe)
    json.dump(json.loads(text, parse_constant=str), open(path, "w"))
