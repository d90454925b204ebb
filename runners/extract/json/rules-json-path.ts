import { JSONPathError } from 'json-p3'
import { scanBrackets } from '../brackets.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { tooDeep } from '../rule-fault.ts'
import type { RuleFault } from '../rule-fault.ts'
import { compileJsonPath } from './json-path.ts'

const SYNTAX = { open: '([', close: ')]', quotes: `'"` }

/** Checks a JSONPath with json-p3, which knows the grammar, the functions and their types. */
export function checkJsonPath(source: string): RuleFault | null {
  const scan = scanBrackets(source, SYNTAX, EXTRACT_LIMITS.ruleNesting)
  if (scan.tooDeepAt !== null) return tooDeep(scan.tooDeepAt, EXTRACT_LIMITS.ruleNesting)
  try {
    compileJsonPath(source)
    return null
  } catch (error) {
    if (!source.startsWith('$')) return { column: 1, message: 'a JSONPath begins with $, the root' }
    if (error instanceof JSONPathError) return { column: error.token.index + 1, message: plainMessage(error.message) }
    return {
      column: scan.openAt,
      message: error instanceof Error ? plainMessage(error.message) : 'it cannot be compiled',
    }
  }
}

/** Removes the path and json-p3's own index from the end of its messages, and replaces a message about its lexer. */
function plainMessage(message: string): string {
  return message.includes("can't backup")
    ? 'the path ends where a name is expected'
    : message.replace(/ \([^]*:\d+\)$/, '')
}
