# What the tests ask of most languages: MODE N, and for `sort` N numbers.
input <- file("stdin", "r")
words <- strsplit(readLines(input, 1), " ")[[1]]
n <- as.integer(words[2])
if (words[1] == "sort") {
    numbers <- as.numeric(strsplit(readLines(input, 1), " ")[[1]])
    cat(sprintf("%.0f\n", sort(numbers)), sep = "")
} else if (words[1] == "hoard") {
    all <- list()
    repeat all[[length(all) + 1]] <- numeric(1e6) + length(all)
} else if (words[1] == "spin") {
    repeat {}
} else if (words[1] == "throw") {
    stop("thrown")
} else if (words[1] == "exit") {
    quit(status = n)
}
