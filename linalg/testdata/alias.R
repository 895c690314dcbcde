# Writes alias.json: which columns R's lm drops on the iris data once some are
# determined by others.
#
# usage: Rscript alias.R TABLES > alias.json
d <- read.csv(file.path(commandArgs(TRUE)[1], "iris.csv"))
x <- as.matrix(d[, 1:4])
x <- cbind(x[, 1:2], total = x[, 1] + 3 * x[, 2] - 1, x[, 3:4], half = x[, 3] / 2 + x[, 4], seven = 7)
f <- lm(seq_len(nrow(x)) ~ x)
b <- unname(coef(f))
cat(sprintf('{"R": "%s.%s", "columns": [%s], "rank": %d, "coef": [%s], "rss": %.17g}\n',
  R.version$major, R.version$minor, paste(which(is.na(b)) - 2, collapse = ", "), f$rank - 1,
  paste(ifelse(is.na(b), "0", sprintf("%.17g", b)), collapse = ", "), sum(resid(f)^2)))
