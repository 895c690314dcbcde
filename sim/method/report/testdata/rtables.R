# The tables of R's glm, lm and MASS::lda on four data sets each.
# usage: Rscript rtables.R TABLES > rtables.json
options(digits = 17)
library(MASS)
folder <- commandArgs(TRUE)[1]
read <- function(name) read.csv(file.path(folder, paste0(name, ".csv")), stringsAsFactors = TRUE)
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
out <- c()
add <- function(kind, name, label, ...) {
  parts <- list(...)
  out <<- c(out, sprintf('{"method": "%s", "table": "%s", "label": "%s", %s}', kind, name, label,
    paste(sprintf('"%s": %s', names(parts), sapply(parts, num)), collapse = ", ")))
}
all_but <- function(label) as.formula(paste(label, "~ ."))
for (d in list(c("SAheart", "chd"), c("Pima-tr", "type"), c("birthwt", "low"), c("crabs", "sex"))) {
  data <- read(d[1])
  data[[d[2]]] <- factor(data[[d[2]]])
  if (d[1] == "crabs") data <- data[, c("RW", "sp", "sex")]
  f <- glm(all_but(d[2]), binomial, data, control = glm.control(epsilon = 1e-15, maxit = 100))
  s <- coef(summary(f))
  ci <- confint.default(f)
  add("logistic", d[1], d[2], estimate = s[, 1], se = s[, 2], z = s[, 3], p = s[, 4], lo = ci[, 1], hi = ci[, 2], odds = exp(s[, 1]),
    deviance = f$deviance, null_deviance = f$null.deviance, aic = f$aic)
}
for (d in list(c("SAheart", "ldl"), c("Pima-tr", "bmi"), c("birthwt", "lwt"), c("crabs", "CW"))) {
  data <- read(d[1])
  f <- lm(all_but(d[2]), data)
  s <- coef(summary(f))
  ci <- confint(f)
  t <- summary(f)
  add("ols", d[1], d[2], estimate = s[, 1], se = s[, 2], z = s[, 3], p = s[, 4], lo = ci[, 1], hi = ci[, 2],
    sigma = t$sigma, r2 = t$r.squared, adj_r2 = t$adj.r.squared, f = t$fstatistic[1],
    f_p = pf(t$fstatistic[1], t$fstatistic[2], t$fstatistic[3], lower.tail = FALSE))
}
for (d in list(c("iris", "species"), c("fgl", "type"), c("crabs", "sp"), c("SAheart", "chd"))) {
  data <- read(d[1])
  f <- lda(all_but(d[2]), data)
  # R takes the levels of a factor as they sort; the order of bytes is that of the C locale.
  o <- order(rownames(f$means), method = "radix")
  add("lda", d[1], d[2], priors = f$prior[o], means = t(f$means[o, ]), scaling = t(f$scaling), proportion = f$svd^2 / sum(f$svd^2))
}
cat('{"tool": "', R.version.string, ", MASS ", as.character(packageVersion("MASS")), '",\n"fits": [\n', paste(out, collapse = ",\n"), "\n]}\n", sep = "")
