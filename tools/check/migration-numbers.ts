import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

export const migrationNumbers: Check = {
  name: 'migrations',
  faults: ({ files }) => migrationNumberFaults(files),
}

/**
 * Reports migrations of one number. Two branches that each add one would be applied in the order of their names, and a
 * store that has the later one would apply the earlier one after it.
 */
export function migrationNumberFaults(files: readonly SourceFile[]): string[] {
  const byNumber = new Map<string, string[]>()
  for (const { path } of files) {
    const [, number] = /^store\/migrations\/(\d+)-[^/]+\.sql$/.exec(path) ?? []
    if (number !== undefined) byNumber.set(number, [...(byNumber.get(number) ?? []), path])
  }
  return [...byNumber.values()]
    .filter((paths) => paths.length > 1)
    .map((paths) => `${paths.join(', ')}: one number: give the newest one the next free number`)
}
