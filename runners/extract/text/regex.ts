/**
 * A pattern of the `regex` method: JavaScript's own. `u` and `v` stay unset, so that patterns written for browsers keep
 * working.
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
 * The value of the `regex` method: the first capture group of the first match when the pattern has one (null without a
 * match, or where the group took no part), else the number of matches. Matches of no length count, and move on.
 */
export function runRegex({ pattern, hasGroup }: CompiledRegex, text: string): string | number | null {
  pattern.lastIndex = 0
  if (hasGroup) return pattern.exec(text)?.[1]?.trim() ?? null
  let count = 0
  for (const _match of text.matchAll(pattern)) count += 1
  return count
}

/** An opening parenthesis that is not escaped, not in a character class, and not `(?` but for a named group. */
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
