import { spawn } from 'node:child_process'
import { CHILD_ENVIRONMENT } from './run-program.ts'
import type { UnprivilegedUser } from './unprivileged-user.ts'

/**
 * Sees to it that the server does not outlive us: a shell that reads from a pipe which only we can write to. However we
 * die, also by SIGKILL, the pipe ends, and it asks the server to shut down. Runs in a session of its own, as the server
 * does, so that Ctrl-C reaches neither.
 *
 * Returns a function that ends the watch; call it when the server has ended.
 */
export function watchOver(pid: number, user: UnprivilegedUser | null): () => void {
  const watchman = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'tidemark-watchman', String(pid)], {
    cwd: '/',
    detached: true,
    env: CHILD_ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...user,
  })
  // Without a shell nothing watches; the next start then finds the server and stops it.
  watchman.on('error', () => undefined)
  watchman.stdin.on('error', () => undefined)
  watchman.unref()
  return () => {
    watchman.kill('SIGKILL')
  }
}
