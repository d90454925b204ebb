import type { JSONPathQuery } from 'json-p3'

const PARTS = ['json_ld', 'microdata', 'open_graph', 'meta', 'scripts', 'product', 'article', 'event'] as const
export type Part = (typeof PARTS)[number]

/** What rules read of structured data. The rest is not built, and nothing is said about it. */
export interface Wanted {
  readonly parts: ReadonlySet<Part>
  /** The ids of scripts; null: all. */
  readonly scripts: ReadonlySet<string> | null
}

export const EVERYTHING: Wanted = { parts: new Set(PARTS), scripts: null }

/** A path whose first two steps are names, as the engine writes it. */
const NAMED = /^\$\.(\w+)(?:\.(\w+)(?=$|[.[])|\['((?:[^'\\$]|\\.)*)'\])?/

/** Returns what queries read: all of it, unless each of them begins at a part that it names. */
export function wantedBy(queries: readonly JSONPathQuery[]): Wanted {
  const parts = new Set<Part>()
  const ids = new Set<string>()
  let isEveryScript = false
  for (const query of queries) {
    const text = String(query)
    const [, part = '', plain, quoted] = NAMED.exec(text) ?? []
    // A filter may compare with another part.
    if (part === '' || text.indexOf('$', 1) !== -1) return EVERYTHING
    const known = PARTS.find((one) => one === part)
    if (known !== undefined) parts.add(known)
    if (known !== 'scripts') continue
    const id = plain ?? (quoted?.includes('\\') ? undefined : quoted)
    if (id === undefined) isEveryScript = true
    else ids.add(id)
  }
  return { parts, scripts: isEveryScript ? null : ids }
}
