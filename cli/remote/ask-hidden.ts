import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { ProcessIo } from '../../platform/process-io.ts'
import { exitCode } from '../exit-codes.ts'

/** Longest line that is read where no terminal is. */
const MOST = 500

/** Reads a line of standard input, such as a key or a password. On a terminal it is asked for, and not shown. */
export async function askHidden(io: ProcessIo, what: string): Promise<string> {
  const { stdin, stderr } = io
  if (stdin.isTTY) {
    const lines = createInterface({
      input: stdin,
      output: new Writable({ write: (_, __, done) => done() }),
      terminal: true,
    })
    // Only now: until there is an interface, the terminal shows what is typed.
    stderr.write(`${what}: `)
    const line = await new Promise<string>((resolve) => {
      lines.once('line', resolve).once('close', () => resolve(''))
      lines.once('SIGINT', () => {
        stderr.write('\n')
        io.exit(exitCode('interrupted'))
      })
    })
    lines.close()
    stderr.write('\n')
    return line
  }
  let text = ''
  for await (const part of stdin.setEncoding('utf8')) {
    text += String(part)
    if (text.length > MOST || text.includes('\n')) break
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}
