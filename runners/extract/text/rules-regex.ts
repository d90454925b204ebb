import { scanBrackets } from '../brackets.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { tooDeep } from '../rule-fault.ts'
import type { RuleFault } from '../rule-fault.ts'

const SYNTAX = { open: '([', close: ')]', quotes: '', opaque: '[' }

/**
 * Checks a pattern with the engine of this process. V8 fully compiles a pattern at its first match, and none is run
 * here.
 */
export function checkRegex(source: string): RuleFault | null {
  const scan = scanBrackets(source, SYNTAX, EXTRACT_LIMITS.ruleNesting)
  if (scan.tooDeepAt !== null) return tooDeep(scan.tooDeepAt, EXTRACT_LIMITS.ruleNesting)
  const reason = syntaxError(source)
  if (reason === null) return null
  const unclosed = /^Unterminated (?:group|character class)/.test(reason)
  return {
    column: unclosed ? scan.openAt : shortestFailing(source, reason),
    message: reason.charAt(0).toLowerCase() + reason.slice(1),
  }
}

function syntaxError(source: string): string | null {
  try {
    new RegExp(source, 'g')
    return null
  } catch (error) {
    const { message } = error as Error
    return message.slice(message.lastIndexOf(': ') + 2)
  }
}

/** V8 reports no position. It is the end of the shortest prefix that fails for the same reason. */
function shortestFailing(source: string, reason: string): number {
  for (let length = 1; length < source.length; length += 1)
    if (syntaxError(source.slice(0, length)) === reason) return length
  return source.length
}
