import { compile } from 'css-select'
import { parse } from 'css-what'
import type { Selector } from 'css-what'
import { scanBrackets } from '../brackets.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { tooDeep } from '../rule-fault.ts'
import type { RuleFault } from '../rule-fault.ts'

const SYNTAX = { open: '([', close: ')]', quotes: '', opaque: '[' }

/**
 * Checks a selector with css-what and css-select. Both accept some text that no browser accepts; that is refused as
 * well.
 */
export function checkCss(source: string): RuleFault | null {
  const scan = scanBrackets(source, SYNTAX, EXTRACT_LIMITS.ruleNesting)
  if (scan.tooDeepAt !== null) return tooDeep(scan.tooDeepAt, EXTRACT_LIMITS.ruleNesting)
  if (source.trim() === '') return { column: 1, message: 'the selector is empty' }
  const stray = strayCharacter(source)
  if (stray !== null) return stray
  let selectors: Selector[][]
  try {
    selectors = parse(source)
  } catch (error) {
    return parseFault(source, String((error as Error).message), scan.openAt)
  }
  return (
    listFault(selectors) ??
    danglingCombinator(source, selectors) ??
    unknownPseudo(source, selectors) ??
    compileFault(source)
  )
}

/**
 * css-what accepts any character at the start of a name. Outside brackets, only characters that CSS knows are allowed.
 */
function strayCharacter(source: string): RuleFault | null {
  let depth = 0
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at)
    if (char === '\\') at += 1
    else if (char === '[' || char === '(') depth += 1
    else if (char === ']' || char === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0 && /[!@$%^&={};<?'"`]/.test(char))
      return { column: at + 1, message: `unexpected character ${char}` }
    else if (depth === 0 && /[.#]/.test(char) && !/[\w\\\u0080-\uffff-]/.test(source.charAt(at + 1))) {
      return { column: at + 1, message: `a name must follow ${char}` }
    }
  }
  return null
}

const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Expected name, found/, 'expected a name'],
  [/^Unmatched selector/, 'the selector cannot continue like this'],
  [/^(?:Parenthesis not matched|Missing closing parenthesis)/, 'this parenthesis is never closed'],
  [/^(?:Attribute value didn't end|Attribute selector didn't terminate)/, 'this attribute selector is not closed'],
  [/^Did not expect successive traversals/, 'two combinators follow each other'],
  [/^Empty sub-selector/, 'a selector is missing before or after a comma'],
  [/^Expected `=`/, 'expected = in the attribute selector'],
  [/^Comment was not terminated/, 'the comment is not closed'],
]

function parseFault(source: string, message: string, openAt: number | null): RuleFault {
  const wording = MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? message
  const rest = /^(?:Expected name, found|Unmatched selector:) ([^]*)$/.exec(message)?.[1]
  if (rest !== undefined) return { column: source.length - rest.length + 1, message: wording }
  return { column: columnIn(source, wording) ?? openAt ?? shortestFailing(source, message), message: wording }
}

function columnIn(source: string, wording: string): number | null {
  if (wording.startsWith('two combinators')) return columnOf(/[>+~]\s*[>+~]/.exec(source))
  if (wording.startsWith('a selector is missing')) return columnOf(/^\s*,|,\s*(?=,|\)|$)|\(\s*\)/.exec(source))
  return wording.startsWith('the comment') ? columnOf(/\/\*(?![^]*\*\/)/.exec(source)) : null
}

function columnOf(found: RegExpExecArray | null): number | null {
  return found === null ? null : found.index + 1
}

/** Returns the length of the shortest prefix that fails with the same message. */
function shortestFailing(source: string, message: string): number {
  for (let length = 1; length < source.length; length += 1) {
    try {
      parse(source.slice(0, length))
    } catch (error) {
      if ((error as Error).message === message) return length
    }
  }
  return source.length
}

function listFault(selectors: readonly Selector[][]): RuleFault | null {
  const { selectorList } = EXTRACT_LIMITS
  const count = countSelectors(selectors)
  return count > selectorList
    ? { column: null, message: `it lists ${count} selectors; at most ${selectorList} are allowed` }
    : null
}

function countSelectors(selectors: readonly Selector[][]): number {
  return Math.max(
    selectors.length,
    ...selectors.flat().map((one) => (one.type === 'pseudo' && Array.isArray(one.data) ? countSelectors(one.data) : 0)),
  )
}

const COMBINATORS: ReadonlySet<string> = new Set(['child', 'adjacent', 'sibling'])

function danglingCombinator(source: string, selectors: readonly Selector[][]): RuleFault | null {
  return selectors.some(endsOpen)
    ? { column: columnOf(/[>+~](?=\s*(?:[,)]|$))/.exec(source)), message: 'a selector must follow the combinator' }
    : null
}

const endsOpen = (selector: readonly Selector[]): boolean =>
  COMBINATORS.has(selector.at(-1)?.type ?? '') ||
  selector.some((one) => one.type === 'pseudo' && Array.isArray(one.data) && one.data.some(endsOpen))

/** Finds what css-select accepts without a meaning: pseudo-elements, and names that every JavaScript object has. */
function unknownPseudo(source: string, selectors: readonly Selector[][]): RuleFault | null {
  for (const one of selectors.flat()) {
    if (one.type === 'pseudo-element') {
      return {
        column: find(source, `:${one.name}`),
        message: `the pseudo-element ::${one.name} has no text in the page`,
      }
    }
    if (one.type !== 'pseudo') continue
    if (one.name in Object.prototype) return noPseudo(source, one.name)
    const inner = Array.isArray(one.data) ? unknownPseudo(source, one.data) : null
    if (inner !== null) return inner
  }
  return null
}

function noPseudo(source: string, name: string): RuleFault {
  return {
    column: find(source, `:${name}`),
    message: `there is no pseudo-class :${name} that a page without a user could match`,
  }
}

function find(source: string, text: string): number | null {
  const at = source.toLowerCase().indexOf(text.toLowerCase())
  return at === -1 ? null : at + 1
}

function compileFault(source: string): RuleFault | null {
  try {
    compile(source, { relativeSelector: false })
    return null
  } catch (error) {
    const { message } = error as Error
    if (message.startsWith('Relative selectors'))
      return { column: relativeAt(source), message: 'a selector cannot begin with a combinator' }
    if (message.startsWith('Namespaced')) {
      return {
        column: find(source, '|'),
        message: 'namespaces are not supported; in XML write the prefix with an escaped colon, as in media\\:content',
      }
    }
    const pseudo = /:([\w-]+)/.exec(message)?.[1]
    if (message.startsWith('Unknown pseudo-class') && pseudo !== undefined) return noPseudo(source, pseudo)
    const column = find(source, pseudo === undefined ? ':nth' : `:${pseudo}`)
    return { column, message: message.replace(/^Pseudo-class /, 'the pseudo-class ') }
  }
}

function relativeAt(source: string): number | null {
  return columnOf(/(?<=^\s*|,\s*|\(\s*)[>+~]/.exec(source))
}
