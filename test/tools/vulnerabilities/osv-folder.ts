import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type Json = Readonly<Record<string, unknown>>

/** Returns what a record says of a package of npm that is fixed in 2.0.0. */
export const npmPackage = (name: string): Json => ({
  package: { ecosystem: 'npm', name },
  ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
})

/** Returns what a record says of a source package of Debian that is fixed in 1:2.0-1. */
export const debianPackage = (name: string, release = '12'): Json => ({
  package: { ecosystem: `Debian:${release}`, name },
  ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1:2.0-1' }] }],
})

/** Writes files of JSON into a folder, which it makes. */
async function writeJson(folder: string, files: Json): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, json] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(json))
}

/** Writes records of OSV, by their ids, each with the packages that it affects, as its archives have them. */
export async function writeRecords(
  folder: string,
  records: Readonly<Record<string, { readonly affected: readonly Json[] } & Json>>,
): Promise<void> {
  const files = Object.entries(records).map(([id, record]) => [
    `${id}.json`,
    { id, modified: '2026-01-01T00:00:00Z', summary: `what ${id} does`, ...record },
  ])
  await writeJson(folder, Object.fromEntries(files) as Json)
}

/** Writes the list of components of an image. */
export const writeImage = (folder: string, image: string, purls: readonly string[]): Promise<void> =>
  writeJson(folder, { [`image-${image}.cdx.json`]: { components: purls.map((purl) => ({ purl })) } })

/** Writes a repository: its lockfiles, and a package of the dashboard that is installed and needs another one. */
export async function writeRepository(folder: string): Promise<void> {
  const packages = {
    '': { version: '1.0.0' },
    'node_modules/runs': { version: '1.0.0' },
    'node_modules/runs/node_modules/@deep/inside': { version: '1.5.0' },
    'node_modules/tests': { version: '1.0.0', dev: true },
    'node_modules/peer-of-tests': { version: '1.0.0', devOptional: true },
    'node_modules/alias': { name: 'by-another-name', version: '1.0.0' },
    'node_modules/page': { version: '1.0.0', dev: true },
    'node_modules/page-part': { version: '1.0.0', dev: true },
  }
  await writeJson(folder, { 'package-lock.json': { packages } })
  await writeJson(join(folder, 'pulumi'), {
    'package-lock.json': {
      packages: {
        'node_modules/runs': { version: '1.0.0' },
        'node_modules/page-part': { version: '1.0.0', dev: true },
      },
    },
  })
  await writeJson(join(folder, 'node_modules/page'), { 'package.json': { dependencies: { 'page-part': '1' } } })
  await writeJson(join(folder, 'node_modules/page-part'), { 'package.json': {} })
}
