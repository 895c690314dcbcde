# Tails of Student's t and Fisher's F from R.
# usage: Rscript student.R > student.json
num <- function(x) sprintf("%.17g", x)
row <- function(...) paste0("[", paste(sapply(list(...), num), collapse = ", "), "]")
out <- c()
for (nu in c(0.5, 1, 2, 3.7, 10, 19, 100, 147, 1e4, 1e6, 1e9))
  for (t in c(1e-8, 0.01, 0.5, 1, 1.96, 3, 8, 20))
    out <- c(out, row(t, nu, 2 * pt(-t, nu)))
f <- c()
for (d1 in c(1, 2, 3, 9, 50, 1000)) for (d2 in c(1, 4, 30, 452, 1e5))
  for (v in c(1e-6, 0.3, 1, 1.8, 5, 60)) f <- c(f, row(v, d1, d2, pf(v, d1, d2, lower.tail = FALSE)))
cat(sprintf('{"tool": "%s", "t": [\n%s],\n"f": [\n%s]}\n', R.version.string, paste(out, collapse = ",\n"), paste(f, collapse = ",\n")))
