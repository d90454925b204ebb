import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns whether a registry of npm has the version of a package with the bytes of this file. */
export async function isPublished(file: string, registry: readonly string[]): Promise<boolean> {
  const { stdout } = await run('tar', ['-xzOf', file, 'package/package.json'])
  const { name, version } = JSON.parse(stdout) as { readonly name: string; readonly version: string }
  const asked = await run('npm', ['view', `${name}@${version}`, 'dist.integrity', ...registry]).catch(() => null)
  const own = `sha512-${createHash('sha512')
    .update(await readFile(file))
    .digest('base64')}`
  return asked?.stdout.trim() === own
}
