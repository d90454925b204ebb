import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

/** Migrations that share a number since before this rule. They are applied in the order of their names. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  'store/migrations/000009-identity.sql',
  'store/migrations/000009-runner-pods.sql',
])

export const migrationNumbers: Check = {
  name: 'migrations',
  faults: ({ files }) => migrationNumberFaults(files, EXCEPTIONS),
}

/**
 * Reports migrations of one number. Two branches that each add one would be applied in the order of their names, and a
 * store that has the later one would apply the earlier one after it.
 */
export function migrationNumberFaults(files: readonly SourceFile[], exceptions: ReadonlySet<string>): string[] {
  const byNumber = new Map<string, string[]>()
  for (const { path } of files) {
    const [, number] = /^store\/migrations\/(\d+)-[^/]+\.sql$/.exec(path) ?? []
    if (number !== undefined) byNumber.set(number, [...(byNumber.get(number) ?? []), path])
  }
  return [...byNumber.values()]
    .filter((paths) => paths.length > 1 && !paths.every((path) => exceptions.has(path)))
    .map((paths) => `${paths.join(', ')}: one number: give the newest one the next free number`)
}
