function say(what, got) { print (got != "" ? "ESCAPED " : "HELD ") what " " got; fflush() }
function slurp(path,   line) { line = ""; getline line < path; return line }
{ c[$1] = substr($0, length($1) + 2) }
END {
    say("file", slurp(c["file"]))
    say("answer", slurp(c["answer"]))
    say("environment", ENVIRON[c["env"]])
    say("process", system("true") == 0 ? "started" : "")
    say("signal", system("kill -0 " c["pid"]) == 0 ? "reached" : "")
    ERRNO = ""
    service = "/inet/tcp/0/127.0.0.1/" c["tcp"]
    PROCINFO["NONFATAL"] = 1
    print "x" |& service
    say("connect", ERRNO == "" ? "connected" : "")
}
