import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path/posix'
import { APART, type Border, BORDERS, NETWORK, OWNERS } from './border-table.ts'
import type { Check } from './check.ts'
import { importsOf } from './imports-of.ts'
import type { SourceFile } from './source-file.ts'

export const borders: Check = {
  name: 'borders',
  faults: ({ files }) => [...files.flatMap(borderFaults), ...unusedPermissions(files)],
}

const TABLE = 'tools/check/border-table.ts'

/** Tests and examples within a folder of the table, which may import everything. */
const OUTSIDE = /^pulumi\/(?:test|examples)\//

/**
 * Returns the imports of one file that its folder may not have. Files outside the table (tests, tools, benches,
 * examples) may import everything.
 */
export function borderFaults({ path, text }: SourceFile): string[] {
  const border = BORDERS[folderOf(path)]
  if (border === undefined || !isJudged(path)) return []
  return importsOf(text).flatMap(({ specifier, line }) => {
    const fault = specifier.startsWith('.')
      ? folderFault(path, border, specifier)
      : packageFault(path, border, specifier)
    return fault === null ? [] : [`${path}:${line}: ${fault}`]
  })
}

/** Returns what the table allows and no file of the folder imports, so that a border is never wider than its use. */
export function unusedPermissions(files: readonly SourceFile[]): string[] {
  const judged = files.filter(({ path }) => isJudged(path))
  const imported = judged.flatMap(({ path, text }) =>
    importsOf(text).map(({ specifier }) => ({
      path,
      name: specifier.startsWith('.') ? join(dirname(path), specifier) : packageName(specifier),
    })),
  )
  const unused = Object.entries(BORDERS).flatMap(([folder, { folders, packages }]) => {
    const names = imported.filter(({ path }) => isWithin(path, folder)).map(({ name }) => name)
    return [
      ...folders.filter((place) => !names.some((name) => isWithin(name, place))),
      ...packages.filter((allowed) => !names.some((name) => isAllowed(name, allowed))),
    ].map((allowed) => `${folder} imports nothing of ${allowed}; take it out of the folder's border`)
  })
  const closed = NETWORK.folders.filter(
    (place) => !imported.some(({ path, name }) => isWithin(path, place) && NETWORK.modules.includes(name)),
  )
  return [
    ...unused,
    ...closed.map((place) => `${place} opens no connections; take it out of the network's folders`),
  ].map((fault) => `${TABLE}: ${fault}`)
}

const folderOf = (path: string): string => path.split('/', 1)[0] ?? ''

const isJudged = (path: string): boolean => /\.tsx?$/.test(path) && !OUTSIDE.test(path)

const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

const isAllowed = (name: string, allowed: string): boolean =>
  allowed === name || (allowed === 'node:*' && name.startsWith('node:'))

function folderFault(path: string, border: Border, specifier: string): string | null {
  const target = join(dirname(path), specifier)
  const own = folderOf(path)
  const apart = Object.entries(APART).find(([inner]) => path.startsWith(`${inner}/`))
  if (apart?.[1].some((place) => target.startsWith(`${place}/`)))
    return `${apart[0]} may not import ${target} (it may not: ${apart[1].join(', ')})`
  if ([own, ...border.folders].some((place) => isWithin(target, place))) return null
  return `${own} may not import ${target} (it may: ${border.folders.join(', ') || 'nothing but itself'})`
}

function packageFault(path: string, border: Border, specifier: string): string | null {
  const name = packageName(specifier)
  if (!border.packages.some((allowed) => isAllowed(name, allowed)))
    return `${folderOf(path)} may not import ${name} (see ${TABLE})`
  const owners = OWNERS[name]
  if (owners !== undefined && !owners.some((owner) => path.startsWith(`${owner}/`)))
    return `only ${owners.join(' and ')} may import ${name}`
  if (NETWORK.modules.includes(name) && !NETWORK.folders.some((place) => isWithin(path, place))) {
    return `${name} opens connections; only ${NETWORK.folders.join(', ')} may`
  }
  return null
}

// `@scope/name/part` → `@scope/name`, `node:dns/promises` → `node:dns`, `fs` → `node:fs`.
export function packageName(specifier: string): string {
  const parts = specifier.split('/')
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
  return builtinModules.includes(name) ? `node:${name}` : name
}
