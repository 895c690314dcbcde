# glmnet's gaussian family over part of its path: lasso, elastic net and ridge,
# standardised and not. It minimises 1/(2n) RSS + lambda(...) for a y of standard
# deviation 1 (divisor n), so y is given to it like that and the results are
# multiplied back; its lambda times n is the library's times 1/sd(y) for the lasso.
# usage: Rscript glmnet.R TABLES > glmnet.json
source("data.R")
suppressMessages(library(glmnet))
out <- c()
for (file in names(sets)) {
  x <- sets[[file]]$x; y <- sets[[file]]$y; n <- length(y)
  s <- sqrt(mean((y - mean(y))^2))
  for (alpha in c(1, 0.5, 0)) for (standardize in c(TRUE, FALSE)) {
    run <- function(...) glmnet(x, y / s, family = "gaussian", alpha = alpha, standardize = standardize, thresh = 1e-14, maxit = 1e7, ...)
    grid <- run()$lambda
    at <- grid[c(1, 5, 15, 30, min(50, length(grid)))]
    fit <- run(lambda = at)
    cf <- as.matrix(coef(fit))
    unit <- if (standardize) sqrt(colMeans(sweep(x, 2, colMeans(x))^2)) else rep(1, ncol(x))
    for (k in seq_along(at)) {
      b <- cf[-1, k]
      r <- y / s - cf[1, k] - x %*% b
      g <- b * unit
      o <- sum(r^2) / 2 + n * at[k] * (alpha * sum(abs(g)) + (1 - alpha) / 2 * sum(g^2))
      out <- c(out, obj(set = str(file), alpha = num(alpha), standardize = tolower(standardize), sd = num(s), lambda = num(n * at[k]),
        intercept = num(cf[1, k]), coef = arr(b), objective = num(o), dev_ratio = num(fit$dev.ratio[k]), df = num(fit$df[k]), max = num(n * grid[1])))
    }
  }
}
cat(obj(tool = str(paste(R.version.string, "glmnet", packageVersion("glmnet"))), cases = paste0("[\n", paste(out, collapse = ",\n"), "]")), "\n", sep = "")
