# MASS::lm.ridge at four lambdas. It centres x and y, divides the columns of x by
# their standard deviation with divisor n, and adds lambda to the diagonal of the
# cross-products: the ridge of Options.Standardize at the same lambda.
# usage: Rscript ridge.R TABLES > ridge.json
source("data.R")
suppressMessages(library(MASS))
out <- c()
for (file in names(sets)) {
  x <- sets[[file]]$x; y <- sets[[file]]$y
  lambda <- c(0.01, 1, 30, 1000)
  fit <- lm.ridge(y ~ x, lambda = lambda)
  d <- svd(scale(x, TRUE, fit$scales))$d
  for (k in seq_along(lambda))
    out <- c(out, obj(set = str(file), lambda = num(lambda[k]), coef = arr(coef(fit)[k, ]), df = num(sum(d^2 / (d^2 + lambda[k])))))
}
cat(obj(tool = str(paste(R.version.string, "MASS", packageVersion("MASS"))), cases = paste0("[\n", paste(out, collapse = ",\n"), "]")), "\n", sep = "")
