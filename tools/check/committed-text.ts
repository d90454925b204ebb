import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

/** Text that is true on one machine only, and a command that runs the package of somebody else outside a clone. */
const FORBIDDEN: readonly { pattern: RegExp; what: string }[] = [
  { pattern: /(?<![\w.-])\/work\/(?:main|shared)\b/, what: 'a path of one machine' },
  { pattern: /(?<![\w.-])\/(?:root|home\/\w+|Users\/\w+)\//, what: 'a path of one machine' },
  {
    pattern: /\bregistry\.(?:npmjs|yarnpkg)\.|\bnpm\.pkg\.|\bpypi\.org\b|\bdeb\.debian\.org\b|\bstatic\.crates\.io\b/,
    what: 'the host of a package registry',
  },
  { pattern: /\bnpx (?:-{1,2}\S+ )*tidemark\b/, what: 'npx may fetch the package of somebody else: write ./tidemark' },
]

/** Files that must contain such text, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {}

export const committedText: Check = {
  name: 'text',
  faults: ({ files }) => files.flatMap((file) => committedTextFaults(file, EXCEPTIONS)),
}

/**
 * Returns the lines that name a path of a machine or the host of a package registry, and those that call npx: a
 * committed text must be true everywhere.
 */
export function committedTextFaults(
  { path, text }: SourceFile,
  exceptions: Readonly<Record<string, string>>,
): string[] {
  if (exceptions[path] !== undefined) return []
  return text.split('\n').flatMap((line, index) => {
    const found = FORBIDDEN.find(({ pattern }) => pattern.test(line))
    return found === undefined ? [] : [`${path}:${index + 1}: ${found.what}`]
  })
}
