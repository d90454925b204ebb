import { dirname, join } from 'node:path/posix'
import type { Check } from './check.ts'
import { withoutComments } from './imports-of.ts'
import type { SourceFile } from './source-file.ts'

/** Exports that no import names, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'runners/extract/pool/run-batch.ts#runBatch': 'called by name in a thread',
  'runners/extract/candidates/look-thread.ts#read': 'called by name in a thread',
  'runners/extract/align/align-thread.ts#read': 'called by name in a thread',
  'runners/extract/clean/clean-thread.ts#read': 'called by name in a thread',
  'runners/extract/matches/match-thread.ts#read': 'called by name in a thread',
  'runners/serp/search-page-thread.ts#read': 'called by name in a thread',
  'runners/fetch/paging/read-page-of.ts#readPageOf': 'called by name in a thread',
  'runners/pattern/match-pattern.ts#matchPattern': 'called by name in a thread',
  'worker/pictures/compare-pair.ts#comparePair': 'called by name in a thread',
  'test/concurrency/threads/late-error.ts#endEarly': 'called by name in a thread',
  'test/support/database/postgres-setup.ts#setup': 'called by vitest',
  'pulumi/test/packed-package.ts#setup': 'called by vitest',
  'test/cluster/cluster-setup.ts#setup': 'called by vitest',
  'pulumi/examples/install/index.ts#namespace': 'an output of the stack',
  'pulumi/examples/kubernetes/index.ts#names': 'an output of the stack',
  'pulumi/examples/rest/index.ts#ids': 'an output of the stack',
  'pulumi/examples/rest/index.ts#rank': 'an output of the stack',
}

export const unusedExports: Check = {
  name: 'exports',
  faults: ({ files }) => unusedExportFaults(files, EXCEPTIONS),
}

const DECLARED =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|namespace) ([\w$]+)/gm
const LISTED = /^export (?:type )?\{([^}]*)\}(?!\s*from)/gm
const IMPORTED =
  /^(?:import|export)\b\s*(?:type\s+)?(?:[\w$]+\s*,\s*)?(\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})\s*from\s*['"]([^'"]+)['"]/gm
const LOADED = /\bimport\s*\(\s*['"`](\.[^'"`]+)['"`]/g

/**
 * Returns the exports that no other file imports: what one file uses alone is its own affair, and what none uses is
 * dead.
 */
export function unusedExportFaults(
  files: readonly SourceFile[],
  exceptions: Readonly<Record<string, string>>,
): string[] {
  const sources = files
    .filter(({ path }) => /\.tsx?$/.test(path))
    .map(({ path, text }) => ({ path, code: withoutComments(text) }))
  const used = new Set(sources.flatMap(({ path, code }) => usesIn(path, code)))
  return sources.flatMap(({ path, code }) =>
    exportsIn(code)
      .filter(({ name }) => !used.has(`${path}#${name}`) && !used.has(`${path}#*`))
      .filter(({ name }) => exceptions[`${path}#${name}`] === undefined)
      .map(({ name, line }) => `${path}:${line}: ${name} is exported, and no other file imports it`),
  )
}

function exportsIn(code: string): { name: string; line: number }[] {
  const lineOf = (index: number) => code.slice(0, index).split('\n').length
  const declared = [...code.matchAll(DECLARED)].map(({ 1: name = '', index }) => ({ name, line: lineOf(index) }))
  const listed = [...code.matchAll(LISTED)].flatMap(({ 1: list = '', index }) =>
    namesIn(list, 'outside').map((name) => ({ name, line: lineOf(index) })),
  )
  return [...declared, ...listed]
}

/** `path#name` for each name that a file imports; `path#*` where it takes all. */
function usesIn(path: string, code: string): string[] {
  // A package that is compiled for others writes no endings.
  const target = (specifier: string) => join(dirname(path), /\.\w+$/.test(specifier) ? specifier : `${specifier}.ts`)
  const imported = [...code.matchAll(IMPORTED)]
    .filter(({ 2: from = '' }) => from.startsWith('.'))
    .flatMap(({ 1: what = '', 2: from = '' }) =>
      what.startsWith('*')
        ? [`${target(from)}#*`]
        : namesIn(what.slice(1, -1), 'inside').map((name) => `${target(from)}#${name}`),
    )
  return [...imported, ...[...code.matchAll(LOADED)].map(({ 1: from = '' }) => `${target(from)}#*`)]
}

/**
 * Names of `a, type b, c as d`: of the last, `c` is what it is called inside its file, `d` what it is called outside.
 */
function namesIn(list: string, side: 'inside' | 'outside'): string[] {
  return list
    .split(',')
    .map((entry) => {
      const [inner = '', outer = inner] = entry
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)
      return side === 'inside' ? inner : outer
    })
    .filter((name) => name !== '')
}
