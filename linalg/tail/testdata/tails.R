# Upper tails of the normal, χ², Student's t and Fisher's F, and their quantiles,
# from R: rows of arguments and the result.
# usage: Rscript tails.R > tails.json
num <- function(x) sprintf("%.17g", x)
row <- function(...) paste0("[", paste(sapply(list(...), num), collapse = ", "), "]")
out <- c()
say <- function(name, rows) out <<- c(out, sprintf('"%s": [\n%s]', name, paste(rows, collapse = ",\n")))

say("normal", sapply(c(-8, -1, 0, 0.01, 0.5, 1, 1.96, 3, 5, 8, 20, 30, 37), function(z) row(z, pnorm(z, lower.tail = FALSE))))
r <- c()
for (df in c(1, 2, 3, 7, 40, 101)) for (x in c(1e-6, 0.01, 0.5, 1, 5, 30, 100, 200, 1000))
  r <- c(r, row(x, df, pchisq(x, df, lower.tail = FALSE)))
say("chisquare", r)
r <- c()
for (nu in c(0.5, 1, 2, 3.7, 10, 19, 100, 147, 1e4, 1e6, 1e9)) for (t in c(-2, -0.01, 1e-8, 0.01, 0.5, 1, 1.96, 3, 8, 20))
  r <- c(r, row(t, nu, pt(t, nu, lower.tail = FALSE)))
say("student", r)
r <- c()
for (d1 in c(1, 2, 3, 9, 50, 1000)) for (d2 in c(1, 4, 30, 452, 1e5)) for (v in c(1e-6, 0.3, 1, 1.8, 5, 60))
  r <- c(r, row(v, d1, d2, pf(v, d1, d2, lower.tail = FALSE)))
say("fisher", r)

p <- c(1e-300, 1e-100, 1e-20, 1e-8, 0.001, 0.025, 0.05, 0.3, 0.7, 0.95, 0.999)
say("normal_quantile", sapply(p, function(p) row(p, qnorm(p, lower.tail = FALSE))))
p <- p[p >= 1e-20]
r <- c(); for (df in c(1, 2, 7, 40)) for (u in p) r <- c(r, row(u, df, qchisq(u, df, lower.tail = FALSE)))
say("chisquare_quantile", r)
r <- c(); for (nu in c(1, 2, 3.7, 19, 147, 1e6)) for (u in p) r <- c(r, row(u, nu, qt(u, nu, lower.tail = FALSE)))
say("student_quantile", r)
p <- p[p <= 0.7] # above, qf of R 4.2.2 is up to 2e-8 off: its own pf says so
r <- c(); for (d1 in c(1, 3, 50)) for (d2 in c(4, 30, 452)) for (u in p) r <- c(r, row(u, d1, d2, qf(u, d1, d2, lower.tail = FALSE)))
say("fisher_quantile", r)
cat(sprintf('{"tool": "%s",\n%s}\n', R.version.string, paste(out, collapse = ",\n")))
