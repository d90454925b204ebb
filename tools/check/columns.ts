import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

/** As in .editorconfig. The formatter breaks code at this width, but neither comments nor texts. */
const MAX_COLUMNS = 120

/** What Helm renders of the chart, as tests expect it. */
const RENDERED = 'test/charts/golden/'

/** A pattern in generated YAML has no space to break it at. */
const ONE_WORD = /^\s*(?:- )?\w+: \S+$/

export const columns: Check = {
  name: 'columns',
  faults: ({ files }) => files.flatMap(columnFaults),
}

/** Returns the lines of TypeScript, CSS, SQL and YAML that are wider than 120 columns. */
export function columnFaults({ path, text }: SourceFile): string[] {
  if (!/\.(?:tsx?|css|sql|ya?ml)$/.test(path) || path.startsWith(RENDERED)) return []
  return text.split('\n').flatMap((line, index) => {
    const width = Array.from(line).length
    return width > MAX_COLUMNS && !ONE_WORD.test(line)
      ? [`${path}:${index + 1}: ${width} columns, more than ${MAX_COLUMNS}`]
      : []
  })
}
