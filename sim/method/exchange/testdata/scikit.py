"""Estimators of scikit-learn as the snippet of the package's documentation writes them, and what they predict.

usage: scikit.py TABLES > scikit.json

LinearSVC visits rows in an order drawn anew, and lbfgs stops short of the minimum, where rounding leads it:
undetermined: /cases/(3/file/model/fitted/(coef|intercept)_|17/(file/model/params/steps/1/1/fitted/(coef|intercept)_|proba))/
"""
import csv, json, os, sys, tempfile, warnings
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from snippet import save, sklearn, numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier, Perceptron, Lasso, Ridge, LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
warnings.filterwarnings("ignore")

rows = list(csv.DictReader(open(f"{sys.argv[1]}/iris.csv")))
columns = [c for c in rows[0] if c != "species"]
x = np.array([[float(r[c]) for c in columns] for r in rows]); y = np.array([r["species"] for r in rows])
rows_of, response = x, x[:, 0] * 2 - x[:, 3]
every = slice(0, 150, 13)
os.chdir(tempfile.mkdtemp())
cases = []

def case(name, m, x, y, text=None):
    m.fit(x, y); save(m, "m.json")
    shown = (rows_of if text is None else x)[every]
    c = dict(name=name, file=json.load(open("m.json")), predicted=[str(v) for v in m.predict(shown)])
    if hasattr(m, "predict_proba"): c["classes"], c["proba"] = [str(v) for v in m.classes_], m.predict_proba(shown).tolist()
    if text is not None: c["table"] = [["" if isinstance(v, float) and v != v else str(v) for v in row] for row in text[every].tolist()]
    cases.append(c)

two = y != "setosa"
case("logistic, three classes", make_pipeline(StandardScaler(), LogisticRegression()), x, y)
case("logistic, two classes, multinomial", LogisticRegression(multi_class="multinomial"), x[two], y[two])
case("logistic, one against the rest", LogisticRegression(solver="liblinear"), x, y)
case("LinearSVC", LinearSVC(), x, y)
case("SVC, three classes", SVC(kernel="linear", probability=True, random_state=1), x, y)
case("SVC, two classes", SVC(kernel="linear", probability=True, random_state=1), x[two], y[two])
case("SGDClassifier", make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=1)), x, y)
case("Perceptron, two classes", Perceptron(), x[:100], np.repeat([3, 1], 50))
case("Perceptron, three classes", Perceptron(), x, y)
case("LinearDiscriminantAnalysis", LinearDiscriminantAnalysis(), x, y)
case("LinearDiscriminantAnalysis, lsqr", LinearDiscriminantAnalysis(solver="lsqr"), x, y)
case("QuadraticDiscriminantAnalysis", make_pipeline(StandardScaler(), QuadraticDiscriminantAnalysis()), x, y)
for m in (LinearRegression(), Ridge(), Lasso(alpha=.01), SVR(kernel="linear")): case(type(m).__name__, make_pipeline(StandardScaler(), m), x, response)
gaps = x.copy(); gaps[::13, 1] = np.nan
table = np.empty((150, 5), object); table[:, :4] = gaps; table[:, 4] = np.resize(["b", "a b", 'c"x', "é"], 150)
encoded = ColumnTransformer([("n", make_pipeline(SimpleImputer(), StandardScaler()), [3, 1, 0]), ("o", OneHotEncoder(handle_unknown="ignore"), [4])])
case("columns", make_pipeline(encoded, LogisticRegression()), table, y, table)
case("imputed", make_pipeline(SimpleImputer(strategy="median"), LogisticRegression()), gaps, y, gaps)
print(json.dumps(dict(tool=f"scikit-learn {sklearn.__version__}", rows=x[every].tolist(), cases=cases), separators=(",", ":")))
