type Pairs = Readonly<Record<string, string>>

/** Returns lines, without those that are empty. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns pairs of a name and a value, one a line: `Accept: text/html`. Undefined: a line has no sign between them. */
export function pairsOf(text: string, sign: ':' | '='): Pairs | undefined {
  const pairs: [string, string][] = []
  for (const line of linesOf(text)) {
    const at = line.indexOf(sign)
    if (at <= 0) return undefined
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1).trim()])
  }
  return Object.fromEntries(pairs)
}

/** Returns the text of pairs. */
export const textOfPairs = (pairs: Pairs, sign: ': ' | '='): string =>
  Object.entries(pairs)
    .map(([name, value]) => name + sign + value)
    .join('\n')

/** Returns the object that a text is as JSON. Undefined: it is none. */
export function objectOf(text: string): object | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
