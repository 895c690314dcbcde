// Package exchange reads models that other tools fitted, and writes models for them.
//
// # Reading
//
// [Read] takes a model file of LIBLINEAR (every linear solver), one of LIBSVM with a linear
// kernel, whose support vectors become coefficients, and the JSON that a snippet of Python
// writes of scikit-learn's estimators and pipelines, or one of R of its models. The model that comes back has status
// imported: its numbers are those of the file, and nothing is claimed of them. It predicts as
// the tool does:
//
//   - Its classes stand in the tool's order, of which a tie goes to the first. Of two
//     classes LIBLINEAR and LIBSVM take the second of the file where f(x) is 0; that one is
//     therefore the first here, and f is positive for the other. Of several, LIBSVM's pairs vote,
//     and the first of those with the most votes is taken; a pair whose f is 0 votes there for the
//     later of its classes and here for the earlier.
//   - Probabilities have the tool's link: the softmax of K scores, or σ(fₖ)/Σ σ(fₗ) where
//     each function was fitted to tell its class from the rest; LIBSVM's pairs are coupled
//     with its own tolerance.
//
// # scikit-learn
//
// After save(model, "m.json"), [ReadScikit] reads m.json: which estimators, see there.
//
//	import json, numpy, sklearn
//	def describe(e):
//	    if isinstance(e, type) or not hasattr(e, "get_params"):
//	        return e.tolist() if isinstance(e, (numpy.ndarray, numpy.generic)) else str(e)
//	    rows = ("support_", "support_vectors_", "dual_coef_", "named_transformers_")  # rows of the data, and a copy
//	    names = [k for k in dir(e) if k[-1] == "_" != k[0] and k not in rows and hasattr(e, k)]
//	    return {"type": type(e).__name__, "params": e.get_params(deep=False), "fitted": {k: getattr(e, k) for k in names}}
//	def save(model, path):
//	    text = json.dumps({"scikit-learn": sklearn.__version__, "model": model}, default=describe)
//	    json.dump(json.loads(text, parse_constant=str), open(path, "w"))
//
// # R
//
// After save_model(m, "m.json"), or save_model(m, "m.json", s = 0.01) of glmnet's, [ReadR]
// reads m.json. Of cv.glmnet's s may be "lambda.min", and is "lambda.1se" unless given.
//
//	save_model <- function(m, path, s = "lambda.1se") {   # m of glm, lda or qda, or of glmnet or cv.glmnet with s = λ
//	  text <- function(v) if (length(v) == 0) "null" else if (is.list(v)) paste0("{", paste0(encodeString(names(v), quote = '"'), ":",
//	    vapply(v, text, ""), collapse = ","), "}") else paste0("[", paste(if (is.numeric(v)) sprintf("%.17g", v) else
//	    encodeString(as.character(v), quote = '"'), collapse = ","), "]")
//	  if (inherits(m, "cv.glmnet")) { if (is.character(s)) s <- m[[s]]; m <- m$glmnet.fit }
//	  b <- if (inherits(m, "glmnet")) coef(m, s = s) else if (inherits(m, "glm")) coef(m)
//	  b <- if (!is.null(b)) do.call(cbind, lapply(if (is.list(b)) b else list(b), as.matrix))
//	  if (!is.null(b)) b[is.na(b)] <- 0   # of columns that depend on others, which R leaves out
//	  levels <- c(rownames(m$means), m$classnames, if (inherits(m, "glm")) levels(m$model[[1]]), if (is.logical(m$model[[1]])) c("FALSE", "TRUE"))
//	  writeLines(text(list(R = R.version.string, class = class(m), names = c(rownames(b), colnames(m$means)), terms = attr(m$terms,
//	    "term.labels"), levels = levels, xlevels = m$xlevels, contrasts = m$contrasts, link = c(m$family$family, m$family$link),
//	    coef = b, prior = m[["prior"]], means = m$means, scaling = m$scaling, scaled = m$call$standardize,
//	    call = c(names(m$call), if (is.numeric(m$offset) || isTRUE(m$offset)) "offset"),
//	    penalty = if (inherits(m, "glmnet") && is.numeric(c(m$call$alpha, 1))) c(s * m$nobs, m$call$alpha))), path) }
//
// # Writing
//
// [WriteLIBLINEAR] and [WriteCoefficients] write linear models for other tools.
//
// # Bounds
//
// Files are not trusted: sizes are those of numbers that are there, and an error has the line.
//
// # Files, in reading order
//
// tokens.go (lines of a model file), liblinear.go, libsvm.go, attributes.go (the JSON of an estimator),
// inputs.go (what the steps of a pipeline make of the columns), estimators.go (the model of its last step), scikit.go (the
// JSON of estimators and pipelines), rmodel.go (the JSON of R), write.go, bias.go (an audit by LIBLINEAR's objective),
// read.go (which format a file has).
package exchange
