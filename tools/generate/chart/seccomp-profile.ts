import { stringify } from 'yaml'

/**
 * System calls that Node and Chromium may use, by what they are for. What is not here, such as mounts, kernel modules,
 * other processes' memory, BPF, keys, clocks and io_uring, is answered with "not implemented".
 */
const ALLOWED = {
  files:
    'access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 ' +
    'fadvise64 fallocate fchdir fchmod fchmodat fchown fchownat fcntl fdatasync fgetxattr flistxattr ' +
    'flock fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 ' +
    'getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch lchown lgetxattr link linkat ' +
    'listxattr llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat newfstatat open ' +
    'openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat ' +
    'readv removexattr rename renameat renameat2 rmdir sendfile setxattr splice stat statfs statx symlink ' +
    'symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes ' +
    'vmsplice write writev',
  memory:
    'brk madvise membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock ' +
    'munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages shmat shmctl shmdt shmget',
  sockets:
    'accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg ' +
    'sendmmsg sendmsg sendto setsockopt shutdown socket socketpair',
  waiting:
    'epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 futex ' +
    'futex_waitv io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit nanosleep pause pipe ' +
    'pipe2 poll ppoll pselect6 select semctl semget semop semtimedop signalfd signalfd4 timerfd_create ' +
    'timerfd_gettime timerfd_settime',
  time:
    'alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday setitimer time timer_create ' +
    'timer_delete timer_getoverrun timer_gettime timer_settime times',
  processes:
    'arch_prctl capget capset execve execveat exit exit_group fork get_robust_list getcpu getegid geteuid ' +
    'getgid getgroups getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit ' +
    'getrusage getsid gettid getuid ioctl ioprio_get ioprio_set kill landlock_add_rule ' +
    'landlock_create_ruleset landlock_restrict_self pidfd_open pidfd_send_signal prctl prlimit64 ' +
    'restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn ' +
    'rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min ' +
    'sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval ' +
    'sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp ' +
    'set_robust_list set_thread_area get_thread_area set_tid_address setfsgid setfsuid setgid setgroups ' +
    'setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setuid sigaltstack ' +
    'sysinfo tgkill tkill uname vfork wait4 waitid',
  // What the default profile of container runtimes refuses: Chromium puts its renderers into their own namespaces.
  sandbox: 'chroot clone clone3 ptrace setns unshare',
} as const

const NOT_IMPLEMENTED = 38

const profile = {
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: NOT_IMPLEMENTED,
  architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
  syscalls: Object.values(ALLOWED).map((names) => ({ names: names.split(' '), action: 'SCMP_ACT_ALLOW' })),
}

/** Returns the seccomp profile in which Chromium has its own sandbox, for nodes and for Docker. */
export const seccompProfile = (): string => `${JSON.stringify(profile, null, 2)}\n`

/** Returns it as an object of the Security Profiles Operator, which puts it on every node. */
export function seccompObject(): string {
  const { defaultErrnoRet: _, ...spec } = profile
  const object = {
    apiVersion: 'security-profiles-operator.x-k8s.io/v1beta1',
    kind: 'SeccompProfile',
    metadata: { name: 'tidemark-chromium', namespace: 'tidemark' },
    spec,
  }
  const head = '# Generated from tools/generate/chart/seccomp-profile.ts by `npm run gen`.\n'
  return head + stringify(object, { lineWidth: 100 })
}
