import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { hasProgram } from '../run/skip.ts'

const LISTENER = join(import.meta.dirname, 'notify-socket.py')

/** Whether there is what such a socket needs. */
export const hasNotifySocket = hasProgram('systemd-notify') && hasProgram('python3')

/** The socket on which systemd hears of a service. */
export interface NotifySocket extends AsyncDisposable {
  readonly path: string
  /** The messages so far, each as its assignments. */
  readonly messages: readonly Readonly<Record<string, string>>[]
}

/** Opens a socket in a folder. Node has no such sockets, so a program of Python listens. */
export async function openNotifySocket(folder: string): Promise<NotifySocket> {
  const path = join(folder, 'notify')
  const child = spawn('python3', [LISTENER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const messages: Readonly<Record<string, string>>[] = []
  const exited = new Promise((resolve) => child.on('close', resolve))
  await new Promise<void>((resolve, reject) => {
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines)
        if (line === 'listening') resolve()
        else messages.push(JSON.parse(line) as Record<string, string>)
    })
    void exited.then(() => reject(new Error('the listener has ended')))
  })
  return {
    path,
    messages,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
