/* clang-format off */
/* The system calls that a run may make, by name, grouped by why. Not listed: ENOSYS. Included by filter.c. */

/* Files and directories: what may be reached is the mount view's and Landlock's to say. */
ROW(read, ALLOW) ROW(write, ALLOW) ROW(readv, ALLOW) ROW(writev, ALLOW) ROW(pread64, ALLOW) ROW(pwrite64, ALLOW)
ROW(preadv, ALLOW) ROW(pwritev, ALLOW) ROW(openat, OPENAT) ROW(close, ALLOW)
ROW(lseek, ALLOW) ROW(fstat, ALLOW) ROW(newfstatat, ALLOW) ROW(statx, ALLOW) ROW(faccessat, ALLOW)
ROW(faccessat2, ALLOW) ROW(readlinkat, LOOK) ROW(getcwd, ALLOW) ROW(chdir, LOOK) ROW(fchdir, ALLOW)
ROW(getdents64, ALLOW) ROW(mkdirat, CREATE) ROW(unlinkat, CHANGE) ROW(renameat2, RENAME) ROW(linkat, CREATE)
ROW(symlinkat, CREATE) ROW(truncate, TRUNCATE) ROW(ftruncate, ALLOW) ROW(fallocate, ALLOCATE) ROW(fsync, ALLOW)
ROW(fdatasync, ALLOW) ROW(readahead, ALLOW) ROW(dup, ALLOW) ROW(dup3, ALLOW) ROW(pipe2, ALLOW)
ROW(ppoll, ALLOW) ROW(pselect6, ALLOW) ROW(epoll_create1, ALLOW) ROW(epoll_ctl, ALLOW) ROW(epoll_pwait, ALLOW)
ROW(epoll_pwait2, ALLOW) ROW(eventfd2, ALLOW) ROW(timerfd_create, ALLOW) ROW(timerfd_settime, ALLOW)
ROW(timerfd_gettime, ALLOW) ROW(signalfd4, ALLOW) ROW(statfs, ALLOW) ROW(fstatfs, ALLOW) ROW(umask, ALLOW)
ROW(copy_file_range, ALLOW) ROW(close_range, CLOSE_RANGE) ROW(socketpair, SOCKETPAIR) ROW(fcntl, FCNTL) ROW(ioctl, IOCTL)
/* openat2 stays ENOSYS: its flags lie in memory, where a filter cannot see that a file is created. preadv2 too: it tells
 * what of a shared file is in memory, and so what others have read. */

/* They put pages of files into pipes and sockets, each of which keeps in memory all that the kernel has read or written
 * together with it, up to 2 MiB: 2.8 GiB by 50 descriptors. As for descriptors that cannot do it: callers copy then. */
ROW(sendfile, UNFIT) ROW(splice, UNFIT) ROW(tee, UNFIT)

/* Memory. No memfd_create, shm or mq: memory that outlives mappings and is counted nowhere. */
ROW(mmap, MAP) ROW(munmap, ALLOW) ROW(mprotect, ALLOW) ROW(mremap, ALLOW) ROW(madvise, ALLOW) ROW(brk, ALLOW)
ROW(msync, ALLOW) ROW(mincore, ALLOW) ROW(mlock, ALLOW) ROW(munlock, ALLOW) ROW(mlock2, ALLOW) ROW(mlockall, ALLOW)
ROW(munlockall, ALLOW) ROW(membarrier, ALLOW) ROW(get_mempolicy, ALLOW)

/* Threads, and the program itself. clone3 stays ENOSYS: its flags lie in memory; glibc falls back to clone. getpgid, getsid,
 * getpriority and sched_get* may name any process, and tell its group, nice value and cores: libraries ask for those of
 * their threads, whose numbers a filter does not know. */
ROW(clone, CLONE) ROW(execve, LOOK) ROW(execveat, EXECVEAT) ROW(exit, ALLOW) ROW(exit_group, ALLOW) ROW(wait4, ALLOW)
ROW(waitid, ALLOW) ROW(futex, ALLOW) ROW(set_robust_list, ALLOW) ROW(get_robust_list, OWN) ROW(rseq, ALLOW)
ROW(set_tid_address, ALLOW) ROW(gettid, ALLOW) ROW(getpid, ALLOW) ROW(getppid, ALLOW) ROW(getuid, ALLOW)
ROW(geteuid, ALLOW) ROW(getgid, ALLOW) ROW(getegid, ALLOW) ROW(getresuid, ALLOW) ROW(getresgid, ALLOW)
ROW(getgroups, ALLOW) ROW(getpgid, ALLOW) ROW(getsid, ALLOW) ROW(capget, ALLOW) ROW(sched_yield, ALLOW)
ROW(sched_getaffinity, ALLOW) ROW(sched_getparam, ALLOW) ROW(sched_getscheduler, ALLOW)
ROW(sched_get_priority_max, ALLOW) ROW(sched_get_priority_min, ALLOW) ROW(getpriority, ALLOW) ROW(getrusage, ALLOW)
ROW(times, ALLOW) ROW(uname, ALLOW) ROW(sysinfo, ALLOW) ROW(getcpu, ALLOW) ROW(getrandom, ALLOW)
ROW(restart_syscall, ALLOW) ROW(prctl, PRCTL) ROW(prlimit64, PRLIMIT) ROW(getrlimit, ALLOW) ROW(setrlimit, SETRLIMIT)
ROW(personality, PERSONALITY)

/* Clocks, timers, signals to oneself. */
ROW(clock_gettime, CLOCK) ROW(clock_getres, CLOCK) ROW(clock_nanosleep, CLOCK) ROW(nanosleep, ALLOW)
ROW(gettimeofday, ALLOW) ROW(setitimer, ALLOW) ROW(getitimer, ALLOW) ROW(timer_create, CLOCK)
ROW(timer_settime, ALLOW) ROW(timer_gettime, ALLOW) ROW(timer_getoverrun, ALLOW) ROW(timer_delete, ALLOW)
ROW(rt_sigaction, ALLOW) ROW(rt_sigprocmask, ALLOW) ROW(rt_sigreturn, ALLOW) ROW(rt_sigpending, ALLOW)
ROW(rt_sigtimedwait, ALLOW) ROW(rt_sigsuspend, ALLOW) ROW(rt_sigqueueinfo, SELF) ROW(rt_tgsigqueueinfo, SELF)
ROW(sigaltstack, ALLOW) ROW(kill, SELF) ROW(tkill, SELF) ROW(tgkill, SELF)

/* Of the program's own ids, or of other processes: refused in silence, for libraries try some of them. */
ROW(setpgid, REFUSE) ROW(setsid, REFUSE) ROW(setuid, REFUSE) ROW(setgid, REFUSE) ROW(setreuid, REFUSE)
ROW(setregid, REFUSE) ROW(setresuid, REFUSE) ROW(setresgid, REFUSE) ROW(setfsuid, REFUSE) ROW(setfsgid, REFUSE)
ROW(setgroups, REFUSE) ROW(capset, REFUSE) ROW(setpriority, REFUSE) ROW(ioprio_set, REFUSE)
ROW(sched_setaffinity, REFUSE) ROW(sched_setscheduler, SCHEDULER) ROW(sched_setparam, REFUSE) ROW(sched_setattr, REFUSE)
ROW(sync, REFUSE) ROW(syncfs, REFUSE) ROW(mknodat, REFUSE) ROW(seccomp, REFUSE) ROW(memfd_create, REFUSE)

/* Metadata and locks: on files that other runs or the judge share, a way to disturb and to signal. */
ROW(getxattr, LACKING) ROW(lgetxattr, LACKING) ROW(fgetxattr, LACKING) ROW(listxattr, LACKING)
ROW(llistxattr, LACKING) ROW(flistxattr, LACKING) ROW(fadvise64, REFUSE)
ROW(fchmod, MODE) ROW(fchmodat, MODE) ROW(utimensat, BUILD) ROW(flock, BUILD) ROW(fchown, REFUSE)
ROW(fchownat, REFUSE) ROW(setxattr, REFUSE) ROW(lsetxattr, REFUSE) ROW(fsetxattr, REFUSE) ROW(removexattr, REFUSE)
ROW(lremovexattr, REFUSE) ROW(fremovexattr, REFUSE) ROW(inotify_init1, REFUSE) ROW(inotify_add_watch, REFUSE)

/* No honest use in a solution: refused and recorded. */
ROW(mount, REPORT) ROW(umount2, REPORT) ROW(pivot_root, REPORT) ROW(chroot, REPORT) ROW(fsopen, REPORT)
ROW(fsmount, REPORT) ROW(fsconfig, REPORT) ROW(fspick, REPORT) ROW(move_mount, REPORT) ROW(open_tree, REPORT)
ROW(mount_setattr, REPORT) ROW(unshare, REPORT) ROW(setns, REPORT) ROW(ptrace, REPORT) ROW(process_vm_readv, REPORT)
ROW(process_vm_writev, REPORT) ROW(pidfd_open, REPORT) ROW(pidfd_getfd, REPORT) ROW(pidfd_send_signal, REPORT)
ROW(kcmp, REPORT) ROW(bpf, REPORT) ROW(perf_event_open, REPORT) ROW(userfaultfd, REPORT) ROW(io_uring_setup, REPORT)
ROW(io_uring_enter, REPORT) ROW(io_uring_register, REPORT) ROW(keyctl, REPORT) ROW(add_key, REPORT)
ROW(request_key, REPORT) ROW(init_module, REPORT) ROW(finit_module, REPORT) ROW(delete_module, REPORT)
ROW(kexec_load, REPORT) ROW(reboot, REPORT) ROW(swapon, REPORT) ROW(swapoff, REPORT) ROW(acct, REPORT)
ROW(quotactl, REPORT) ROW(syslog, REPORT) ROW(sethostname, REPORT) ROW(setdomainname, REPORT)
ROW(settimeofday, REPORT) ROW(clock_settime, REPORT) ROW(adjtimex, REPORT) ROW(clock_adjtime, REPORT)
ROW(open_by_handle_at, REPORT) ROW(name_to_handle_at, REPORT) ROW(fanotify_init, REPORT) ROW(fanotify_mark, REPORT)
ROW(vhangup, REPORT) ROW(nfsservctl, REPORT) ROW(lookup_dcookie, REPORT) ROW(migrate_pages, REPORT)
ROW(move_pages, REPORT) ROW(socket, REPORT) ROW(connect, REPORT) ROW(bind, REPORT) ROW(listen, REPORT)
ROW(accept, REPORT) ROW(accept4, REPORT) ROW(shmget, REPORT) ROW(shmat, REPORT) ROW(shmctl, REPORT)
ROW(msgget, REPORT) ROW(msgsnd, REPORT) ROW(msgrcv, REPORT) ROW(semget, REPORT) ROW(semop, REPORT)
ROW(mq_open, REPORT) ROW(mq_unlink, REPORT)

#if defined(__x86_64__) /* the older forms of the above, which aarch64 never had */
ROW(open, OPEN) ROW(creat, CREATE) ROW(stat, ALLOW) ROW(lstat, ALLOW) ROW(access, ALLOW) ROW(readlink, LOOK)
ROW(getdents, ALLOW) ROW(mkdir, CREATE) ROW(rmdir, CHANGE) ROW(unlink, CHANGE) ROW(rename, CHANGE) ROW(renameat, CHANGE)
ROW(link, CREATE) ROW(symlink, CREATE) ROW(dup2, ALLOW) ROW(pipe, ALLOW) ROW(poll, ALLOW) ROW(select, ALLOW)
ROW(epoll_create, ALLOW) ROW(epoll_wait, ALLOW) ROW(eventfd, ALLOW) ROW(signalfd, ALLOW) ROW(arch_prctl, ALLOW)
ROW(getpgrp, ALLOW) ROW(time, ALLOW) ROW(alarm, ALLOW) ROW(pause, ALLOW)
ROW(fork, PROCESS) ROW(vfork, PROCESS)
ROW(chmod, MODE) ROW(utime, BUILD) ROW(utimes, BUILD) ROW(futimesat, BUILD) ROW(chown, REFUSE) ROW(lchown, REFUSE)
ROW(mknod, REFUSE) ROW(inotify_init, REFUSE)
ROW(iopl, REPORT) ROW(ioperm, REPORT) ROW(modify_ldt, REPORT) ROW(uselib, REPORT) ROW(ustat, REPORT)
ROW(_sysctl, REPORT) ROW(kexec_file_load, REPORT)
#elif defined(__aarch64__)
ROW(renameat, CHANGE) ROW(sync_file_range, ALLOW)
#endif
