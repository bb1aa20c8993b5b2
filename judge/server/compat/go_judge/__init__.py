"""go-judge's endpoints. (Shapes: its cmd/go-judge/model/model.go; behaviour: its envexec/.)

requests    what its clients send
prepare     a command of theirs -> what the sandbox is to run, and what is to be told of it
answers     what became of it -> a result as go-judge words it
routes      /run, /file, /version, /config
sockets     /ws, /stream
"""
