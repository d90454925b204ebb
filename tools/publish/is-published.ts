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

/** Returns the digest that a registry has for a reference. Null: it has none. */
export async function publishedDigest(reference: string, isPlainHttp: boolean): Promise<string | null> {
  const asked = await run('crane', ['digest', ...(isPlainHttp ? ['--insecure'] : []), reference]).catch(() => null)
  return asked?.stdout.trim() ?? null
}

/** Returns the digests of what a registry has under a reference: for a chart, its archive and its signature. */
export async function publishedLayers(reference: string, isPlainHttp: boolean): Promise<readonly string[]> {
  const { stdout } = await run('crane', ['manifest', ...(isPlainHttp ? ['--insecure'] : []), reference])
  const { layers } = JSON.parse(stdout) as { readonly layers: readonly { readonly digest: string }[] }
  return layers.map(({ digest }) => digest)
}
