# Goldens of regularised discriminant analysis from its formulas, in R's own arithmetic: klaR
# has other divisors. S_k(a, g) = a S_k + (1-a)((1-g) S + g tr(S)/p I), S_k with divisor
# N_k - 1 and S pooled with N - K (Hastie, Tibshirani & Friedman, eq. 4.13 and 4.14).
# usage: Rscript rda.R TABLES > rda.json
dir <- commandArgs(TRUE)[1]
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
d <- read.csv(file.path(dir, "fgl.csv"), check.names = FALSE)
g <- factor(d$type); g <- factor(as.character(g), levels = sort(levels(g), method = "radix"))
x <- as.matrix(d[, setdiff(names(d), "type")]); n <- nrow(x); p <- ncol(x)
own <- lapply(levels(g), function(k) cov(x[g == k, ]))
pooled <- Reduce(`+`, Map(function(s, k) s * (sum(g == k) - 1), own, levels(g))) / (n - nlevels(g))
cat('{"tool":"R ', as.character(getRversion()), '","sets":[\n', sep = "")
first <- TRUE
for (a in c(0.2, 0.7)) for (s in c(0, 0.4)) {
  f <- sapply(seq_along(own), function(k) {
    S <- a * own[[k]] + (1 - a) * ((1 - s) * pooled + s * sum(diag(pooled)) / p * diag(p))
    z <- sweep(x, 2, colMeans(x[g == levels(g)[k], ]))
    log(mean(g == levels(g)[k])) - determinant(S)$modulus / 2 - rowSums(z * t(solve(S, t(z)))) / 2
  })
  q <- exp(f - apply(f, 1, max)); q <- q / rowSums(q)
  if (!first) cat(",\n"); first <- FALSE
  rows <- apply(q[seq(1, n, 11), ], 1, function(v) paste0("[", paste(sprintf("%.13g", v), collapse = ","), "]"))
  cat('{"alpha":', a, ',"shrinkage":', s, ',"posterior":[', paste(rows, collapse = ","), ']}', sep = "")
}
cat("\n]}\n")
