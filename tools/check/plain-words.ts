import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'
import { AVOIDED, AVOIDED_AS_START, AVOIDED_GRAMMAR } from './word-list.ts'

/** The list itself and its test name what they forbid. */
const EXEMPT = /^(?:tools\/check\/word-list\.ts|test\/tools\/check\/plain-words\.test\.ts)$/

/** Files whose comments may have any grammar: tests, and what is generated from descriptions. */
const ANY_GRAMMAR = /^(?:(?:pulumi\/)?test|bench|pulumi\/src\/inputs|dashboard\/src\/api\/types)\b/

/** Folders whose comments begin with the subject. A folder joins when its last such comment has gone. */
const SUBJECT_FIRST = /^(?:store\/(?!migrations\/)|deliveries\/(?!channels\/|messages\/))/

export const plainWords: Check = {
  name: 'words',
  faults: ({ files }) => files.flatMap(plainWordFaults),
}

/** Returns the lines of source and of pages that hold a word of the list, with the word to use. */
export function plainWordFaults({ path, text }: SourceFile): string[] {
  if (!/\.(?:tsx?|css|sql|md)$/.test(path) || EXEMPT.test(path)) return []
  const lines = text.split('\n')
  const { prose, list } = proseOf(path, lines)
  return lines.flatMap((line, index) => {
    const faults = [...foundIn(line, AVOIDED), ...foundIn(prose[index] ?? '', list)]
    return faults.slice(0, 1).map((fault) => `${path}:${index + 1}: ${fault}`)
  })
}

const foundIn = (line: string, list: typeof AVOIDED): string[] =>
  list.flatMap(({ pattern, say }) => {
    const found = pattern.exec(line)?.[0]
    return found === undefined ? [] : [`${found}: ${say}`]
  })

/** Returns the prose of each line, '' where a line has none, and the grammar that it avoids. */
function proseOf(path: string, lines: string[]): { prose: string[]; list: typeof AVOIDED } {
  if (/^docs\/.*\.md$/.test(path)) return { prose: pageProse(lines), list: [...AVOIDED_GRAMMAR, ...AVOIDED_AS_START] }
  const isJudged = !path.endsWith('.md') && !ANY_GRAMMAR.test(path)
  const list = SUBJECT_FIRST.test(path) ? [...AVOIDED_GRAMMAR, ...AVOIDED_AS_START] : AVOIDED_GRAMMAR
  return { prose: isJudged ? lines.map(commentOf) : [], list }
}

/** Returns the lines of a page without code, so that commands and quoted output may say what they say. */
function pageProse(lines: string[]): string[] {
  let isCode = false
  return lines.map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode ? '' : withoutCode(line)
  })
}

/** Returns the comment of a line of TypeScript or SQL: a whole line, or the end of one. */
const commentOf = (line: string): string =>
  withoutCode(/(?:^\s*(?:\*|\/\*+|\/\/|--)|\s(?:\/\/|\/\*+|--))(?:\s+(.*))?$/.exec(line)?.[1] ?? '')

const withoutCode = (line: string): string => line.replaceAll(/`[^`]*`/g, '')
