# Models of R as the snippet of the package's documentation writes them, and what they predict.
#
# usage: Rscript r.R TABLES > r.json
#
# The golden is of a snippet that did not write the settings of glmnet yet, as files are that people have kept.
# undetermined: /cases/\d+/file/(call|scaled|penalty)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "snippet.R")); library(MASS); suppressMessages(library(glmnet))
folder <- commandArgs(TRUE)[1]
vec <- function(v) paste0("[", paste(if (is.numeric(v)) sprintf("%.17g", v) else encodeString(as.character(v), quote = '"'), collapse = ","), "]")
rows <- function(d) paste0("[", paste(apply(d, 1, vec), collapse = ","), "]")
case <- function(name, m, d, predicted, proba = NULL, ...) {
  file <- tempfile(); save_model(m, file, ...); every <- seq(1, nrow(d), length.out = 9)
  cells <- as.matrix(data.frame(lapply(d, as.character), check.names = FALSE))
  paste0('{"name":"', name, '","file":', readLines(file), ',"columns":', vec(names(d)), ',"table":', rows(cells[every, ]),
    ',"predicted":', vec(as.character(if (is.numeric(predicted)) sprintf("%.17g", predicted[every]) else predicted[every])),
    if (!is.null(proba)) paste0(',"classes":', vec(colnames(proba)), ',"proba":', rows(proba[every, ])), "}")
}
two <- function(p, names) { p <- as.vector(p); structure(cbind(1 - p, p), dimnames = list(NULL, names)) }
pick <- function(p) colnames(p)[max.col(p)]
heart <- read.csv(file.path(folder, "SAheart.csv"), stringsAsFactors = TRUE)[, c("famhist", "age", "ldl", "chd")]
iris <- read.csv(file.path(folder, "iris.csv"), stringsAsFactors = TRUE); x <- as.matrix(iris[, 1:4]); shown <- iris[, 1:4]
g <- glm(chd ~ age + famhist, binomial, heart); p1 <- two(predict(g, type = "response"), c("0", "1"))
n <- glm(ldl ~ age + famhist, gaussian, heart)
k <- iris$species != "setosa"; b <- glmnet(x[k, ], factor(iris$species[k]), "binomial"); p2 <- two(predict(b, x, s = .02, type = "response"), b$classnames)
m <- glmnet(x, iris$species, "multinomial"); p3 <- predict(m, x, s = .01, type = "response")[, , 1]
e <- glmnet(x, x[, 1] + x[, 4], "gaussian")
l <- lda(species ~ ., iris); p4 <- predict(l, iris)$posterior; q <- qda(species ~ ., iris); p5 <- predict(q, iris)$posterior
f <- lda(chd ~ ., heart); p6 <- predict(f, heart)$posterior
cat('{"tool":"', R.version.string, ", glmnet ", as.character(packageVersion("glmnet")), ", MASS ", as.character(packageVersion("MASS")), '","cases":[', paste(c(
  case("glm binomial", g, heart, pick(p1), p1), case("glm gaussian", n, heart, as.vector(predict(n))),
  case("glmnet binomial", b, shown, pick(p2), p2, s = .02), case("glmnet multinomial", m, shown, pick(p3), p3, s = .01),
  case("glmnet gaussian", e, shown, as.vector(predict(e, x, s = .02)), s = .02),
  case("lda", l, shown, pick(p4), p4), case("qda", q, shown, pick(p5), p5), case("lda with a factor", f, heart[, 1:3], pick(p6), p6)), collapse = ","), "]}\n", sep = "")
