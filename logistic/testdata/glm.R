# R's glm on real data.
# usage: Rscript glm.R TABLES > glm.json
options(digits = 17)
folder <- commandArgs(TRUE)[1]
read <- function(name) read.csv(file.path(folder, paste0(name, ".csv")))
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
control <- glm.control(epsilon = 1e-15, maxit = 100)
out <- c()
say <- function(name, f, ...) {
  s <- coef(summary(f))
  more <- list(...)
  out <<- c(out, sprintf('"%s": {"coef": %s, "se": %s, "z": %s, "p": %s, "deviance": %.17g, "null_deviance": %.17g, "aic": %.17g%s}',
    name, num(s[, 1]), num(s[, 2]), num(s[, 3]), num(s[, 4]), f$deviance, f$null.deviance, f$aic,
    paste(sprintf(', "%s": %s', names(more), sapply(more, num)), collapse = "")))
}
fit <- function(formula, data) {
  w <- data$count
  environment(formula) <- environment()
  suppressWarnings(glm(formula, binomial, data, weights = w, control = control))
}

iris <- read("iris")
pair <- subset(iris, species != "setosa")
pair$y <- as.integer(pair$species == "virginica")
f <- fit(y ~ sepal_length + sepal_width + petal_length + petal_width, pair)
say("iris", f, covariance = as.vector(vcov(f)), working = residuals(f, "working"), pearson = residuals(f, "pearson"),
  deviance_residual = residuals(f, "deviance"), leverage = hatvalues(f))

sa <- read("SAheart")
sa$famhist <- as.integer(sa$famhist == "Present")
say("SAheart", fit(chd ~ ., sa))
say("SAheart-4.2", fit(chd ~ sbp + tobacco + ldl + famhist + obesity + alcohol + age, sa))
say("SAheart-4.3", fit(chd ~ tobacco + ldl + famhist + age, sa))

pima <- read("Pima-tr")
pima$type <- as.integer(pima$type == "Yes")
say("Pima-tr", fit(type ~ ., pima))

birth <- read("birthwt")
say("birthwt", fit(low ~ age + lwt + race + smoke + ptl + ht + ui + ftv, birth))

menarche <- read("menarche")
f <- fit(cbind(Menarche, Total - Menarche) ~ Age, menarche)
say("menarche", f, pearson = residuals(f, "pearson"), deviance_residual = residuals(f, "deviance"), leverage = hatvalues(f))

say("offset", fit(chd ~ tobacco + ldl + famhist + offset(0.05 * (age - 40)), sa))
say("no-intercept", fit(chd ~ 0 + tobacco + ldl + famhist + age, sa))
sa$count <- rep(0:2, length.out = nrow(sa))
say("weights", fit(chd ~ tobacco + ldl + famhist + age, sa))

cat(sprintf('{"tool": "%s",\n%s}\n', R.version.string, paste(out, collapse = ",\n")))
