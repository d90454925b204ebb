export interface BracketScan {
  /** The most brackets open at once. */
  readonly depth: number
  /** 1-based column where the depth first passed the limit that was asked about. */
  readonly tooDeepAt: number | null
  /** 1-based column of the innermost bracket or quote that is never closed. */
  readonly openAt: number | null
}

export interface BracketSyntax {
  readonly open: string
  readonly close: string
  readonly quotes: string
  /** Within these opening brackets nothing nests: a character class of a pattern. */
  readonly opaque?: string
}

/**
 * Counts brackets in the text of a rule, by characters alone. Engines recurse once per bracket, and some exhaust the call stack on 5,000 of
 * them, so this looks first; it also finds the bracket that an engine only says is missing its partner.
 */
export function scanBrackets(source: string, syntax: BracketSyntax, limit: number): BracketScan {
  const stack: { char: string; column: number }[] = []
  let depth = 0
  let tooDeepAt: number | null = null
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at)
    const top = stack.at(-1)
    const inQuote = top !== undefined && syntax.quotes.includes(top.char)
    const opaque = inQuote || (top !== undefined && (syntax.opaque ?? '').includes(top.char))
    if (char === '\\') at += 1
    else if (inQuote ? char === top.char : closes(top?.char, char, syntax)) stack.pop()
    else if (!opaque && (syntax.open.includes(char) || syntax.quotes.includes(char))) {
      stack.push({ char, column: at + 1 })
      depth = Math.max(depth, stack.length)
      if (stack.length > limit) tooDeepAt ??= at + 1
    }
  }
  return { depth, tooDeepAt, openAt: stack.at(-1)?.column ?? null }
}

function closes(top: string | undefined, char: string, syntax: BracketSyntax): boolean {
  return top !== undefined && syntax.open.indexOf(top) === syntax.close.indexOf(char) && syntax.close.includes(char)
}
