# Tests, profile intervals and Firth's correction.
# usage: Rscript inference.R TABLES > inference.json
options(digits = 17, warn = -1)
folder <- commandArgs(TRUE)[1]
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
out <- c()
say <- function(name, ...) {
  v <- list(...)
  out <<- c(out, sprintf('"%s": {%s}', name, paste(sprintf('"%s": %s', names(v), sapply(v, num)), collapse = ", ")))
}
control <- glm.control(epsilon = 1e-15, maxit = 100)

sa <- read.csv(file.path(folder, "SAheart.csv"))
sa$famhist <- as.integer(sa$famhist == "Present")
full <- glm(chd ~ sbp + tobacco + ldl + famhist + obesity + alcohol + age, binomial, sa, control = control)
small <- glm(chd ~ tobacco + ldl + famhist + age, binomial, sa, control = control)
lrt <- anova(small, full, test = "LRT"); rao <- anova(small, full, test = "Rao")
d <- drop1(full, test = "LRT")
s1 <- add1(small, ~ . + sbp + obesity + alcohol, test = "Rao")
say("SAheart", lrt = lrt$Deviance[2], lrt_p = lrt$`Pr(>Chi)`[2], rao = rao$Rao[2], rao_p = rao$`Pr(>Chi)`[2],
  drop = d$LRT[-1], drop_p = d$`Pr(>Chi)`[-1], add = s1$`Rao score`[-1], add_p = s1$`Pr(>Chi)`[-1], bic = BIC(full))

# Profile intervals at 95 %: the ends by uniroot, the other coefficients refitted
# with the term as an offset.
profile_ends <- function(f) {
  x <- model.matrix(f); y <- f$y; b <- coef(f); se <- sqrt(diag(vcov(f)))
  ends <- c()
  for (j in seq_along(b)) for (side in c(-1, 1)) {
    loss <- function(v) glm.fit(x[, -j, drop = FALSE], y, offset = v * x[, j], family = binomial(), control = control)$deviance - f$deviance - qchisq(.95, 1)
    ends <- c(ends, uniroot(loss, sort(b[j] + side * c(1, 3) * se[j]), extendInt = if (side > 0) "upX" else "downX", tol = 1e-13 * se[j])$root)
  }
  ends
}
say("profile", ends = profile_ends(small))

# Firth's modified score equation, iterated from 0 with the information.
firth <- function(x, y, fixed = integer()) {
  b <- rep(0, ncol(x)); free <- setdiff(seq_along(b), fixed)
  for (i in 1:500) {
    p <- plogis(drop(x %*% b)); w <- p * (1 - p)
    info <- crossprod(x * w, x)
    h <- w * rowSums((x %*% solve(info)) * x)
    u <- crossprod(x, y - p + h * (.5 - p))
    step <- rep(0, length(b)); step[free] <- solve(info[free, free], u[free])
    b <- b + step * min(1, 5 / max(abs(step)))
    if (max(abs(step)) < 1e-14 * max(1, abs(b))) break
  }
  p <- plogis(drop(x %*% b)); w <- p * (1 - p); info <- crossprod(x * w, x)
  list(b = b, se = sqrt(diag(solve(info))), ll = sum(log(ifelse(y == 1, p, 1 - p))) + determinant(info)$modulus / 2)
}
iris <- read.csv(file.path(folder, "iris.csv"))
x <- cbind(1, as.matrix(iris[, 1:4]))
y <- as.integer(iris$species == "setosa")
f <- firth(x, y)
tests <- sapply(2:5, function(j) 2 * (f$ll - firth(x, y, j)$ll))
say("firth", coef = f$b, se = f$se, loglik = f$ll, drop = tests, drop_p = pchisq(tests, 1, lower.tail = FALSE))
cat(sprintf('{"tool": "%s",\n%s}\n', R.version.string, paste(out, collapse = ",\n")))
