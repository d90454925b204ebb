import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { PublishError } from './publish-error.ts'
import { isMissing } from './run-program.ts'

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

/** Returns the options of crane for a registry. */
export const craneOptions = (isPlainHttp: boolean): readonly string[] => (isPlainHttp ? ['--insecure'] : [])

/** What registries answer where there is no such name or tag. */
const UNKNOWN = /MANIFEST_UNKNOWN|NAME_UNKNOWN|\b404\b/

/**
 * Returns the digest that a registry has for a reference. Null: it has none. Throws a PublishError where the registry
 * does not say: a push could replace what it has.
 */
export async function publishedDigest(reference: string, isPlainHttp: boolean): Promise<string | null> {
  try {
    return (await run('crane', ['digest', ...craneOptions(isPlainHttp), reference])).stdout.trim()
  } catch (error) {
    const { stderr = '', code } = error as { readonly stderr?: string; readonly code?: string | number }
    if (UNKNOWN.test(stderr)) return null
    if (code === 'ENOENT') throw new PublishError(isMissing('crane'))
    throw new PublishError(`The registry does not say whether it has ${reference}: ${stderr.trim()}`)
  }
}

/** Returns the digests of what a registry has under a reference: for a chart, its archive and its signature. */
export async function publishedLayers(reference: string, isPlainHttp: boolean): Promise<readonly string[]> {
  const { stdout } = await run('crane', ['manifest', ...craneOptions(isPlainHttp), reference])
  const { layers } = JSON.parse(stdout) as { readonly layers: readonly { readonly digest: string }[] }
  return layers.map(({ digest }) => digest)
}
