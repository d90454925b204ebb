import { compileRules } from '../../../../runners/extract/compiled.ts'
import { firstMatches } from '../../../../runners/extract/early/first-matches.ts'
import { parseHtml } from '../../../../runners/extract/html/html.ts'
import { fieldsOnTree } from '../../../../runners/extract/on-tree.ts'
import type { Fields } from '../../../../runners/extract/page.ts'
import type { Tree } from '../../../../runners/extract/tree.ts'

export type Method = 'css' | 'xpath'

/** What rules give of a page that may be read in part, and of the whole page. */
interface BothReadings {
  readonly early: Fields | string
  readonly whole: Fields | string
  /** The characters that were read; null: all. */
  readonly readTo: number | null
}

/** Reads a page as a check does, and as a whole. */
export function bothReadings(text: string, method: Method, fields: Readonly<Record<string, string>>): BothReadings {
  const compiled = compileRules({ method, fields })
  if (compiled.method !== method) throw new TypeError('other rules')
  const read = (tree: Tree | { kind: 'too_complex'; excess: string }) =>
    tree.kind === 'too_complex' ? tree.excess : fieldsOnTree(compiled, tree, [])
  const tree = parseHtml(text, firstMatches(compiled))
  return {
    early: read(tree),
    whole: read(parseHtml(text)),
    readTo: tree.kind === 'too_complex' ? null : (tree.readTo ?? null),
  }
}
