interface BracketScan {
  /** 1-based column where the depth first exceeded the limit; null: it did not. */
  readonly tooDeepAt: number | null
  /** 1-based column of the innermost bracket or quote that is never closed. */
  readonly openAt: number | null
}

interface BracketSyntax {
  readonly open: string
  readonly close: string
  readonly quotes: string
  /** Inside these opening brackets nothing nests, as in a character class of a pattern. */
  readonly opaque?: string
}

/**
 * Counts the brackets in the text of a rule, by characters alone. Engines recurse once per bracket, and some exhaust
 * the call stack on 5,000 of them, so this runs first. It also finds the unclosed bracket where an engine only reports
 * that one is missing.
 */
export function scanBrackets(source: string, syntax: BracketSyntax, limit: number): BracketScan {
  const stack: { char: string; column: number }[] = []
  let tooDeepAt: number | null = null
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at)
    const top = stack.at(-1)?.char ?? ''
    if (char === '\\') at += 1
    else if (closes(top, char, syntax)) stack.pop()
    else if (opens(top, char, syntax)) {
      stack.push({ char, column: at + 1 })
      if (stack.length > limit) tooDeepAt ??= at + 1
    }
  }
  return { tooDeepAt, openAt: stack.at(-1)?.column ?? null }
}

function closes(top: string, char: string, syntax: BracketSyntax): boolean {
  if (top === '') return false
  return syntax.quotes.includes(top) ? char === top : syntax.close.charAt(syntax.open.indexOf(top)) === char
}

function opens(top: string, char: string, syntax: BracketSyntax): boolean {
  const inside = top !== '' && (syntax.quotes + (syntax.opaque ?? '')).includes(top)
  return !inside && (syntax.open + syntax.quotes).includes(char)
}
