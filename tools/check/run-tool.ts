import { spawn } from 'node:child_process'

/** Runs `node <args>` in `root`. Returns its output when it fails, and an empty list when it succeeds. */
export function faultsOfNode(root: string, args: readonly string[]): Promise<string[]> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => resolve([error.message]))
    child.on('close', (code, signal) => {
      const lines = output.split('\n').filter((line) => line.trim() !== '')
      resolve(code === 0 ? [] : [...lines, `ended with ${signal ?? `exit code ${code}`}`])
    })
  })
}
