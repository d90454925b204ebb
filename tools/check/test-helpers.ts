import { dirname, join } from 'node:path/posix'
import type { Check } from './check.ts'
import { importsOf } from './imports-of.ts'
import type { SourceFile } from './source-file.ts'

export const testHelpers: Check = {
  name: 'helpers',
  faults: ({ files }) => testHelperFaults(files),
}

const SUPPORT = 'test/support'
/** A helper of one folder that one other borrows stays where it is. */
const MAX_FOLDERS = 2

/**
 * Returns the helpers that more folders of tests use than two and that are not in `test/support`, and the imports of
 * `test/support` from a folder of tests.
 */
export function testHelperFaults(files: readonly SourceFile[]): string[] {
  const users = new Map<string, Set<string>>()
  const faults: string[] = []
  for (const { path, text } of files) {
    if (!path.endsWith('.ts')) continue
    for (const { specifier, line } of importsOf(text)) {
      const target = specifier.startsWith('.') ? join(dirname(path), specifier) : ''
      if (!target.startsWith('test/') || target.startsWith(`${SUPPORT}/`)) continue
      if (path.startsWith(`${SUPPORT}/`)) faults.push(`${path}:${line}: ${SUPPORT} may not import ${target}`)
      const folders = users.get(target) ?? new Set()
      users.set(target, folders.add(folderOf(path)))
    }
  }
  for (const [target, folders] of users)
    if (folders.size > MAX_FOLDERS)
      faults.push(`${target}: ${[...folders].toSorted().join(', ')} use it: move it to ${SUPPORT}`)
  return faults
}

/** `test/api/routes/a.test.ts` → `test/api`, `bench/rows/a.ts` → `bench`. */
function folderOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('test/') ? 2 : 1)
    .join('/')
}
