import { spawn } from 'node:child_process'
import { CHILD_ENVIRONMENT } from './run-program.ts'
import type { UnprivilegedUser } from './unprivileged-user.ts'

/**
 * Ensures that the server does not outlive this process. It starts a shell that reads from a pipe to which only this
 * process can write. When this process ends, even by SIGKILL, the pipe closes and the shell signals the server to shut
 * down. The shell runs in its own session, as the server does, so that Ctrl-C reaches neither.
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
  // Without a shell nothing watches. The next start then finds the server and stops it.
  watchman.on('error', () => undefined)
  watchman.stdin.on('error', () => undefined)
  watchman.unref()
  return () => {
    watchman.kill('SIGKILL')
  }
}
