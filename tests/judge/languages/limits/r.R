words <- scan(file("stdin"), what = "", quiet = TRUE)
n <- as.integer(words[2])
options(expressions = 500000)
depth <- function(n) if (n == 0L) 0L else 1L + depth(n - 1L)
if (words[1] == "memory") { parts <- lapply(seq_len(n), function(i) rep(i + 0.5, 131072)); n <- length(parts) } else
if (words[1] == "depth") n <- depth(n) else stop("fail")
cat("done ", n, "\n", sep = "")
