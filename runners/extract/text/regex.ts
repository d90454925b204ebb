/**
 * A pattern of the `regex` method, in JavaScript's syntax. The flags `u` and `v` are not set, so that patterns written
 * for browsers keep working.
 */
export interface CompiledRegex {
  readonly pattern: RegExp
  readonly hasGroup: boolean
}

/** Throws the engine's SyntaxError. */
export function compileRegex(source: string): CompiledRegex {
  return { pattern: new RegExp(source, 'g'), hasGroup: hasCaptureGroup(source) }
}

/**
 * Returns the value of the `regex` method. For a pattern with a capture group it is the first group of the first match
 * (null without a match, or where the group took no part). Otherwise it is the number of matches. Empty matches count,
 * and the search moves on.
 */
export function runRegex({ pattern, hasGroup }: CompiledRegex, text: string): string | number | null {
  pattern.lastIndex = 0
  if (hasGroup) return pattern.exec(text)?.[1]?.trim() ?? null
  let count = 0
  for (const _match of text.matchAll(pattern)) count += 1
  return count
}

/**
 * Returns whether a pattern has a capture group: a parenthesis that is not escaped, not in a character class, and not
 * `(?`, except for a named group.
 */
function hasCaptureGroup(source: string): boolean {
  let inClass = false
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at)
    if (char === '\\') at += 1
    else if (inClass) inClass = char !== ']'
    else if (char === '[') inClass = true
    else if (char === '(' && (source.charAt(at + 1) !== '?' || /^\(\?<(?![=!])/.test(source.slice(at, at + 4))))
      return true
  }
  return false
}
