import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path/posix'
import { APART, type Border, BORDERS, NETWORK, OWNERS } from './border-table.ts'
import type { Check } from './check.ts'
import { importsOf } from './imports-of.ts'
import type { SourceFile } from './source-file.ts'

export const borders: Check = {
  name: 'borders',
  faults: ({ files }) => files.flatMap(borderFaults),
}

/** Tests and examples within a folder of the table, which may import everything. */
const OUTSIDE = /^pulumi\/(?:test|examples)\//

/**
 * Returns the imports of one file that its folder may not have. Files outside the table (tests, tools, benches,
 * examples) may import everything.
 */
export function borderFaults({ path, text }: SourceFile): string[] {
  const folder = path.split('/', 1)[0] ?? ''
  const border = BORDERS[folder]
  if (border === undefined || !/\.tsx?$/.test(path) || OUTSIDE.test(path)) return []
  return importsOf(text).flatMap(({ specifier, line }) => {
    const fault = specifier.startsWith('.')
      ? folderFault(path, border, specifier)
      : packageFault(path, border, specifier)
    return fault === null ? [] : [`${path}:${line}: ${fault}`]
  })
}

function folderFault(path: string, border: Border, specifier: string): string | null {
  const target = join(dirname(path), specifier)
  const own = path.split('/', 1)[0] ?? ''
  const apart = Object.entries(APART).find(([inner]) => path.startsWith(`${inner}/`))
  if (apart?.[1].some((place) => target.startsWith(`${place}/`)))
    return `${apart[0]} may not import ${target} (it may not: ${apart[1].join(', ')})`
  if ([own, ...border.folders].some((place) => target === place || target.startsWith(`${place}/`))) return null
  return `${own} may not import ${target} (it may: ${border.folders.join(', ') || 'nothing but itself'})`
}

function packageFault(path: string, border: Border, specifier: string): string | null {
  const name = packageName(specifier)
  const folder = path.split('/', 1)[0] ?? ''
  const isOwned = border.packages.some((owned) => owned === name || (owned === 'node:*' && name.startsWith('node:')))
  if (!isOwned) return `${folder} may not import ${name} (see tools/check/border-table.ts)`
  const owner = OWNERS[name]
  if (owner !== undefined && !path.startsWith(`${owner}/`)) return `only ${owner} may import ${name}`
  if (NETWORK.modules.includes(name) && !NETWORK.folders.some((one) => path === one || path.startsWith(`${one}/`))) {
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
