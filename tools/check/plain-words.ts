import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'
import { AVOIDED, AVOIDED_IN_PAGES } from './word-list.ts'

/** The list itself and its test name what they forbid. */
const EXEMPT = /^(?:tools\/check\/word-list\.ts|test\/tools\/check\/plain-words\.test\.ts)$/

export const plainWords: Check = {
  name: 'words',
  faults: ({ files }) => files.flatMap(plainWordFaults),
}

/** Returns the lines of source and of pages that hold a word of the list, with the word to use. */
export function plainWordFaults({ path, text }: SourceFile): string[] {
  if (!/\.(?:ts|sql|md)$/.test(path) || EXEMPT.test(path)) return []
  const prose = /^docs\/.*\.md$/.test(path) ? proseOf(text) : []
  return text.split('\n').flatMap((line, index) => {
    const faults = [...foundIn(line, AVOIDED), ...foundIn(prose[index] ?? '', AVOIDED_IN_PAGES)]
    return faults.slice(0, 1).map((fault) => `${path}:${index + 1}: ${fault}`)
  })
}

const foundIn = (line: string, list: typeof AVOIDED): string[] =>
  list.flatMap(({ pattern, say }) => {
    const found = pattern.exec(line)?.[0]
    return found === undefined ? [] : [`${found}: ${say}`]
  })

/** Returns the lines of a page without code, so that commands and quoted output may say what they say. */
function proseOf(text: string): string[] {
  let isCode = false
  return text.split('\n').map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode ? '' : line.replaceAll(/`[^`]*`/g, '')
  })
}
