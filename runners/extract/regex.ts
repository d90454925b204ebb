/** A pattern of the `regex` method: JavaScript's own. `u` and `v` stay unset, so that patterns written for browsers keep working. */
export interface CompiledRegex {
  readonly pattern: RegExp
  readonly hasGroup: boolean
}

/** Throws the engine's SyntaxError. Compiling runs nothing: the probe for groups matches the empty text by an alternative that always does. */
export function compileRegex(source: string): CompiledRegex {
  const pattern = new RegExp(source, 'g')
  const groups = (new RegExp(`(?:)|(?:${source})`).exec('')?.length ?? 1) - 1
  return { pattern, hasGroup: groups > 0 }
}

/**
 * The spec's value: the first capture group of the first match when the pattern has one (null without a match, or where the group took no part),
 * else the number of matches. Matches of no length count, and move on.
 */
export function runRegex({ pattern, hasGroup }: CompiledRegex, text: string): string | number | null {
  pattern.lastIndex = 0
  if (hasGroup) return pattern.exec(text)?.[1]?.trim() ?? null
  let count = 0
  for (const _match of text.matchAll(pattern)) count += 1
  return count
}
