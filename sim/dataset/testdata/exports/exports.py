"""What the defaults of pandas and scikit-learn write of the table of exports.R, and Excel's with a decimal comma.

usage: exports.py        after exports.R, in this folder
"""
import pandas, sklearn
from sklearn.datasets import dump_svmlight_file

d = pandas.read_csv("r.csv", index_col=0)
d.to_csv("pandas.csv")
d.to_csv("pandas.tsv", sep="\t", index=False)
# Excel's "CSV UTF-8" where the list separator is a semicolon: a byte order mark, CRLF, decimal commas.
d.to_csv("excel.csv", sep=";", decimal=",", index=False, encoding="utf-8-sig", lineterminator="\r\n")
full = d.dropna()
dump_svmlight_file(full[["Ozone", "Solar.R", "Wind", "Temp"]].to_numpy(), (full["month"] == "May").astype(int), "sklearn.svm")
open("versions.txt", "a").write(f"pandas {pandas.__version__}, scikit-learn {sklearn.__version__}\n")
