import { spawn } from 'node:child_process'
import { freePort } from '../../support/network/free-port.ts'

/** Terminated at the end of its block, should it still run. */
export interface Started extends AsyncDisposable {
  address: string
  /** All that it wrote until now. */
  output(): string
  /** Sends SIGTERM and waits for the end; the exit code, or the signal that it died of. */
  terminate(): Promise<number | string | null>
}

/** `npm start` as a person types it, with no setting but the port; waits until it has said its address. */
export async function npmStart(folder: string): Promise<Started> {
  const port = await freePort()
  const env = { PATH: process.env['PATH'], HOME: folder, PORT: String(port), npm_config_update_notifier: 'false' }
  const child = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
  const address = `http://127.0.0.1:${port}`
  const said = new Promise<void>((resolve) => {
    const collect = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes(address)) resolve()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
  })
  const early = await Promise.race([said, ended])
  if (early !== undefined) throw new Error(`npm start ended with ${early}: ${output}`)
  const terminate = (): Promise<number | string | null> => {
    child.kill('SIGTERM')
    return ended
  }
  const dispose = async (): Promise<void> => {
    await terminate()
  }
  return { address, output: () => output, terminate, [Symbol.asyncDispose]: dispose }
}
