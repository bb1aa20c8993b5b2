# What the tests ask of most languages: MODE N, and for `sort` N numbers.
NR == 1 { mode = $1; n = $2 }
mode == "sort" && NR == 2 {
    count = split($0, words)
    for (i = 1; i <= count; i++) numbers[i] = words[i] + 0
    asort(numbers)
    for (i = 1; i <= count; i++) printf "%d\n", numbers[i]
}
mode == "hoard" { for (i = 1; ; i++) all[i] = sprintf("%01000d", i) }
mode == "spin" { for (;;) i++ }
mode == "throw" { print "thrown" > "/dev/stderr"; exit 1 }
mode == "exit" { exit n }
