import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'
import { AVOIDED } from './word-list.ts'

/** The list itself and its test name what they forbid. */
const EXEMPT = /^(?:tools\/check\/word-list\.ts|test\/tools\/check\/plain-words\.test\.ts)$/

export const plainWords: Check = {
  name: 'words',
  faults: ({ files }) => files.flatMap(plainWordFaults),
}

/** Returns the lines of source and of pages that hold a word of the list, with the word to use. */
export function plainWordFaults({ path, text }: SourceFile): string[] {
  if (!/\.(?:ts|sql|md)$/.test(path) || EXEMPT.test(path)) return []
  return text.split('\n').flatMap((line, index) => {
    const found = AVOIDED.find(({ pattern }) => pattern.test(line))
    return found === undefined ? [] : [`${path}:${index + 1}: ${found.pattern.exec(line)?.[0]}: ${found.say}`]
  })
}
