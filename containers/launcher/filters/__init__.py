"""The seccomp programs of a slot. The driver makes them here; the launcher installs what it is handed (src/filter.c).

    table.py    the system calls, with their numbers for each machine, and what is done with each
    run.py      what that means in a run, by kind of slot and of run
    helper.py   and in the launcher and its stub
    apart.py    one filter more, around a run that has siblings
    relay.py    and in the relay
    bpf.py      instructions, and the assembler: a table of calls becomes one program
    uses.py     how calls name files, where the listener looks at each

Nothing here asks the kernel for anything, so that programs of each machine can be made and tried on any.
"""
