import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The example page and receiver, running. */
export interface ExamplePage extends AsyncDisposable {
  /** Its address, without a slash at the end. */
  readonly base: string
  /** What it has printed so far. */
  readonly output: string
}

/** Starts it on a free port. */
export async function startExamplePage(): Promise<ExamplePage> {
  const script = new URL('../../examples/changing-page.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  while (!output.includes('its secrets')) await once(child.stdout, 'data')
  return {
    base: /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '',
    get output() {
      return output
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await closed
    },
  }
}
