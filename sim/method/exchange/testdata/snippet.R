save_model <- function(m, path, s = "lambda.1se") {   # m of glm, lda or qda, or of glmnet or cv.glmnet with s = λ
  text <- function(v) if (length(v) == 0) "null" else if (is.list(v)) paste0("{", paste0(encodeString(names(v), quote = '"'), ":",
    vapply(v, text, ""), collapse = ","), "}") else paste0("[", paste(if (is.numeric(v)) sprintf("%.17g", v) else
    encodeString(as.character(v), quote = '"'), collapse = ","), "]")
  if (inherits(m, "cv.glmnet")) { if (is.character(s)) s <- m[[s]]; m <- m$glmnet.fit }
  b <- if (inherits(m, "glmnet")) coef(m, s = s) else if (inherits(m, "glm")) coef(m)
  b <- if (!is.null(b)) do.call(cbind, lapply(if (is.list(b)) b else list(b), as.matrix))
  if (!is.null(b)) b[is.na(b)] <- 0   # of columns that depend on others, which R leaves out
  levels <- c(rownames(m$means), m$classnames, if (inherits(m, "glm")) levels(m$model[[1]]), if (is.logical(m$model[[1]])) c("FALSE", "TRUE"))
  writeLines(text(list(R = R.version.string, class = class(m), names = c(rownames(b), colnames(m$means)), terms = attr(m$terms,
    "term.labels"), levels = levels, xlevels = m$xlevels, contrasts = m$contrasts, link = c(m$family$family, m$family$link),
    coef = b, prior = m[["prior"]], means = m$means, scaling = m$scaling, scaled = m$call$standardize,
    call = c(names(m$call), if (is.numeric(m$offset) || isTRUE(m$offset)) "offset"),
    penalty = if (inherits(m, "glmnet") && is.numeric(c(m$call$alpha, 1))) c(s * m$nobs, m$call$alpha))), path) }
