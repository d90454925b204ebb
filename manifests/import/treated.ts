/** What a value becomes before it is compared, as `extract_config.clean` has it. */
export interface Treated {
  readonly do: string
  readonly [key: string]: unknown
}

/** The most treatments of a field, and the longest pattern. */
const [MOST, LONGEST] = [10, 1_000]

/** Returns an extraction that treats each of its values, or the text of a whole page. */
export function withTreated(extract: object, treatments: readonly Treated[], miss: (what: string) => void): object {
  if (treatments.length === 0) return extract
  if (treatments.length > MOST) miss(`more than ${MOST} filters of lines`)
  const names = Object.keys((extract as { readonly fields?: object }).fields ?? { content_hash: '' })
  return { ...extract, clean: Object.fromEntries(names.map((name) => [name, treatments.slice(0, MOST)])) }
}

/** Returns the treatment of lines that match one of some patterns: none without patterns, or if they are too long. */
export function ofLines(kind: 'keep_lines' | 'drop_lines', patterns: readonly string[]): readonly Treated[] {
  const pattern = patterns.length === 1 ? (patterns[0] ?? '') : patterns.map((one) => `(?:${one})`).join('|')
  return pattern !== '' && pattern.length <= LONGEST && isPattern(pattern) ? [{ do: kind, pattern }] : []
}

/** Returns the treatment that replaces what a pattern of Python matches; none where JavaScript reads it otherwise. */
export function ofReplaced(pattern: string, text: string): readonly Treated[] {
  if (pattern === '' || pattern.length > LONGEST || text.length > LONGEST || !isPattern(pattern)) return []
  const replacement = text.replaceAll('$', '$$$$').replaceAll(/\\(?:g<)?(\d{1,2})>?/g, '$$$1')
  return replacement.includes('\\') ? [] : [{ do: 'replace', pattern, text: replacement }]
}

/** Other tools have patterns of Python, of which JavaScript refuses some. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}
