# Goldens of LDA and QDA on iris.
# usage: Rscript iris.R TABLES > iris.json
suppressMessages(library(MASS))
d <- read.csv(file.path(commandArgs(TRUE)[1], "iris.csv"))
x <- as.matrix(d[, 1:4]); g <- factor(d$species)
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, num), collapse = ","), "]")
l <- lda(x, g, tol = 1e-8); pl <- predict(l, x)
q <- qda(x, g); pq <- predict(q, x)
u <- predict(l, x, prior = c(.5, .3, .2))
m <- lda(x, g, method = "mle"); pm <- predict(m, x)
cat('{"tool":"R ', as.character(getRversion()), ', MASS ', as.character(packageVersion("MASS")), '",\n',
  '"means":', rows(l$means), ',\n"scaling":', rows(l$scaling), ',\n"svd":', num(l$svd), ',\n',
  '"lda_class":', num(as.integer(pl$class) - 1), ',\n"lda_posterior":', rows(pl$posterior), ',\n',
  '"lda_prior_posterior":', rows(u$posterior), ',\n"lda_mle_posterior":', rows(pm$posterior), ',\n',
  '"lda_x":', rows(pl$x), ',\n',
  '"qda_class":', num(as.integer(pq$class) - 1), ',\n"qda_posterior":', rows(pq$posterior), ',\n',
  '"qda_ldet":', num(q$ldet), '}\n', sep = "")
