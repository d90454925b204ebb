import { readFile, writeFile } from 'node:fs/promises'
import { OUTPUTS } from './generate/outputs.ts'

/**
 * Writes every generated file. With `--check` it writes none, names those that differ from the definitions, and fails
 * when there are any.
 */
const check = process.argv.includes('--check')
const root = new URL('../', import.meta.url)
const stale: string[] = []
for (const { path, make } of OUTPUTS) {
  const text = make()
  const file = new URL(path, root)
  if ((await readFile(file, 'utf8').catch(() => null)) === text) continue
  stale.push(path)
  if (!check) await writeFile(file, text)
}
for (const path of stale)
  process.stdout.write(check ? `${path} differs from the definitions: run npm run gen\n` : `wrote ${path}\n`)
if (check && stale.length > 0) process.exitCode = 1
