# summary(lm): four data sets, plain, with an offset, without intercept, with rows
# repeated 0, 1 or 2 times, and one with weights that sum to the number of rows.
# usage: Rscript lm.R TABLES > lm.json
source("data.R")
case <- function(file, kind, x, y, w = NULL) {
  s <- summary(lm(y ~ x, weights = w))
  if (kind == "origin") s <- summary(lm(y ~ x + 0))
  t <- coef(s)
  obj(set = str(file), kind = str(kind), estimate = arr(t[, 1]), se = arr(t[, 2]), t = arr(t[, 3]), p = arr(t[, 4]),
      sigma = num(s$sigma), df = num(s$df[2]), r2 = num(s$r.squared), adjr2 = num(s$adj.r.squared),
      f = num(s$fstatistic[1]), rss = num(sum(s$residuals^2)), residuals = arr(head(s$residuals, 5)),
      quartiles = arr(quantile(s$residuals, names = FALSE)),
      covariance = arr(vcov(s)[2, ]))
}
out <- c()
for (file in names(sets)) {
  x <- sets[[file]]$x; y <- sets[[file]]$y
  k <- rep(seq_along(y), (seq_along(y) - 1) %% 3)
  w <- 1 + seq_along(y) %% 4
  out <- c(out, case(file, "plain", x, y), case(file, "origin", x, y), if (file == "iris") case(file, "precisions", x, y, w * length(y) / sum(w)),
           case(file, "weights", x[k, ], y[k]), case(file, "offset", x, y - 0.1 * x[, 1]))
}
cat(obj(tool = str(R.version.string), cases = paste0("[\n", paste(out, collapse = ",\n"), "]")), "\n", sep = "")
