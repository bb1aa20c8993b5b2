function depth(n) { return n == 0 ? 0 : 1 + depth(n - 1) }
{
    n = $2
    if ($1 == "memory") {
        part = sprintf("%1048576s", "x")
        for (i = 0; i < n; i++) parts[i] = part i
        n = length(parts)
    } else if ($1 == "depth") n = depth(n)
    else exit 7
    print "done", n
}
