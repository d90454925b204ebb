import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'
import { type Scope, SCOPES, type ScopeName } from './statement-scopes.ts'

/**
 * Every statement of the store names the one team that it is about, or stands in `SCOPES` with what it is about
 * instead. docs/scale.md rests on it: teams can be divided over several databases as long as the statements that see
 * more than a team are few and known.
 */
export const statementTeams: Check = {
  name: 'teams',
  faults: ({ files }) => statementTeamFaults(files, SCOPES),
}

const FOLDERS = /^(?:accounts|api|boot|deliveries|manifests|monitors|operator|platform|store|worker)\/.*\.ts$/
const BEGINS = /(?<!`)\bsql\s*\.(?:type|prepared|unsafe)\(/g
/** A value of this name, alone or as an argument. */
const NAMES_TEAM = /\$\{(?:[^}`'"]*[\s(,.])?(?:teamId|team_id|team)(?=[,)}])[^}`]*\}|\$\{ofTeam\(/

/** Compares the statements of each file that name no team with the numbers that `scopes` has for it. */
export function statementTeamFaults(files: readonly SourceFile[], scopes: Readonly<Record<string, Scope>>): string[] {
  const found = files
    .filter(({ path }) => FOLDERS.test(path))
    .map(({ path, text }) => ({ path, nameless: statementsOf(text).filter(({ text: own }) => !NAMES_TEAM.test(own)) }))
    .filter(({ path, nameless }) => nameless.length > 0 || scopes[path] !== undefined)
  const gone = Object.keys(scopes).filter((path) => !found.some((one) => one.path === path))
  return [
    ...gone.map((path) => `tools/check/statement-scopes.ts: ${path} is not in the tree any more`),
    ...found.flatMap(({ path, nameless }) => {
      const known = Object.values(scopes[path] ?? {}).reduce((sum, count) => sum + count, 0)
      if (nameless.length === known) return []
      const lines = nameless.map(({ line }) => line).join(', ')
      return [
        `${path}: ${nameless.length} statements name no team (lines ${lines}), and tools/check/statement-scopes.ts ` +
          `lists ${known}: name the team, or list what they are about`,
      ]
    }),
  ]
}

/** How many statements of each scope there are. */
export function statementCounts(scopes: Readonly<Record<string, Scope>>): ReadonlyMap<ScopeName, number> {
  const counts = new Map<ScopeName, number>()
  for (const scope of Object.values(scopes))
    for (const [name, count] of Object.entries(scope) as [ScopeName, number][])
      counts.set(name, (counts.get(name) ?? 0) + count)
  return counts
}

interface Statement {
  readonly line: number
  /** With the fragments that are written inside of it. */
  readonly text: string
}

function statementsOf(text: string): Statement[] {
  return Array.from(text.matchAll(BEGINS)).flatMap(({ index, 0: begin }) => {
    const after = endOfCall(text, index + begin.length)
    if (text[after] !== '`') return []
    return [{ line: text.slice(0, index).split('\n').length, text: text.slice(after, endOfTemplate(text, after + 1)) }]
  })
}

/** Returns the place behind the parenthesis that closes. */
function endOfCall(text: string, from: number): number {
  let depth = 1
  let at = from
  for (; depth > 0 && at < text.length; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
  return at
}

/** Returns the place behind the end of a template, which may have others inside. */
function endOfTemplate(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '`') return at + 1
    else if (text.startsWith('${', at)) at = endOfValue(text, at + 2) - 1
  }
  return text.length
}

function endOfValue(text: string, from: number): number {
  let depth = 1
  let at = from
  while (depth > 0 && at < text.length) {
    if (text[at] === '`') at = endOfTemplate(text, at + 1)
    else {
      depth += text[at] === '{' ? 1 : text[at] === '}' ? -1 : 0
      at++
    }
  }
  return at
}
