import { dirname, join } from 'node:path/posix'
import { importsOf } from '../check/imports-of.ts'
import type { SourceFile } from '../check/source-file.ts'

/** A test, and how many imports lead from it to the file: 1 where it imports the file itself. */
interface ReachingTest {
  readonly path: string
  readonly distance: number
}

const IS_TEST = /\.(?:test|fault|cluster)\.ts$/

/**
 * Returns the tests that reach a file by imports that load something, the nearest first. A test that starts a process
 * does not import what runs in it, so the tests of commands are found only as far as they import.
 */
export function testsOf(target: string, files: readonly SourceFile[]): ReachingTest[] {
  const importers = importersOf(files)
  const distances = new Map([[target, 0]])
  // The map is visited in the order of its entries, which grows by what is one import further away.
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  return [...distances]
    .filter(([path]) => IS_TEST.test(path) && path !== target)
    .map(([path, distance]) => ({ path, distance }))
}

function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const { path, text } of files) {
    if (!/\.tsx?$/.test(path)) continue
    for (const { specifier, isType } of importsOf(text)) {
      if (isType || !specifier.startsWith('.')) continue
      const imported = join(dirname(path), specifier)
      importers.set(imported, [...(importers.get(imported) ?? []), path])
    }
  }
  return importers
}
