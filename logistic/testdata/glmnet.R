# Whole paths of glmnet at thresh 1e-14.
# usage: Rscript glmnet.R TABLES > glmnet.json
suppressMessages(library(glmnet))
folder <- commandArgs(TRUE)[1]
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
out <- c()

# On the scale of halfspace: λ is n times glmnet's, and the penalty acts on
# coefficients times the standard deviations with divisor n if standardize is on.
path <- function(name, x, y, alpha, standardize) {
  n <- nrow(x); family <- if (is.factor(y)) "multinomial" else "binomial"
  f <- glmnet(x, y, family = family, alpha = alpha, standardize = standardize, thresh = 1e-14, maxit = 1e7, nlambda = 40)
  s <- if (standardize) sqrt(colMeans(sweep(x, 2, colMeans(x))^2)) else rep(1, ncol(x))
  lambda <- n * f$lambda
  pen <- function(b) lambda * (alpha * colSums(abs(b * s)) + (1 - alpha) / 2 * colSums((b * s)^2))
  if (family == "binomial") {
    b <- as.matrix(f$beta); eta <- sweep(x %*% b, 2, f$a0, "+")
    objective <- colSums(pmax(eta, 0) + log1p(exp(-abs(eta))) - y * eta) + pen(b)
    last <- c(f$a0[length(lambda)], b[, length(lambda)])
    support <- colSums(b != 0)
  } else {
    k <- nlevels(y); b <- lapply(f$beta, as.matrix)
    objective <- sapply(seq_along(lambda), function(l) {
      eta <- sapply(1:k, function(c) x %*% b[[c]][, l] + f$a0[c, l])
      m <- apply(eta, 1, max)
      sum(m + log(rowSums(exp(eta - m))) - eta[cbind(1:n, as.integer(y))])
    }) + Reduce(`+`, lapply(b, pen))
    last <- unlist(lapply(1:k, function(c) c(f$a0[c, length(lambda)], b[[c]][, length(lambda)])))
    support <- colSums(Reduce(`|`, lapply(b, function(m) m != 0)))  # the lasso is not unique within a feature
  }
  out <<- c(out, sprintf('{"name": "%s", "alpha": %g, "standardize": %s, "lambda": %s, "objective": %s, "support": %s, "dev_ratio": %s, "last": %s}',
    name, alpha, tolower(standardize), num(lambda), num(objective), num(support), num(f$dev.ratio), num(last)))
}
sa <- read.csv(file.path(folder, "SAheart.csv"))
x <- as.matrix(transform(sa[, 1:9], famhist = as.integer(famhist == "Present")))
fgl <- read.csv(file.path(folder, "fgl.csv"))
g <- as.matrix(fgl[, 1:9]); type <- factor(fgl$type)
for (alpha in c(1, .5, 0)) for (standardize in c(TRUE, FALSE)) {
  path("SAheart", x, sa$chd, alpha, standardize)
  path("fgl", g, type, alpha, standardize)
}
cat(sprintf('{"tool": "glmnet %s, %s",\n"paths": [\n%s]}\n', packageVersion("glmnet"), R.version.string, paste(out, collapse = ",\n")))
