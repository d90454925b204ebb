import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

const RECORD = 'docs/decisions/0010-dependencies.md'

/** The packages that the service runs on, and the list that gives the reason for each, name the same. */
export const dependencies: Check = {
  name: 'reasons',
  faults: ({ files }) => {
    const [manifest, record] = ['package.json', RECORD].map((path) => files.find((file) => file.path === path))
    return manifest && record ? dependencyFaults(manifest, record) : [`package.json or ${RECORD} is missing`]
  },
}

/** Returns what one of the two names and the other does not. */
export function dependencyFaults(manifest: SourceFile, record: SourceFile): string[] {
  const parsed = JSON.parse(manifest.text) as { dependencies?: Record<string, string> }
  const needed = Object.keys(parsed.dependencies ?? {})
  const listed = [...record.text.matchAll(/^- `([^`]+)`/gm)].map((row) => row[1] ?? '')
  return [
    ...needed
      .filter((name) => !listed.includes(name))
      .map((name) => `${record.path}: ${name} has no entry: who maintains it, its size, what it does, why no other`),
    ...listed.filter((name) => !needed.includes(name)).map((name) => `${record.path}: ${name} is not a dependency`),
  ]
}
