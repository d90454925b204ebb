import { parse } from 'css-what'
import type { RuleFault } from '../rule-fault.ts'
import { cssSource } from './css-rule.ts'
import { checkCss } from './rules-css.ts'

/** Names that HTML and XML allow, without what CSS would have to escape. */
const NAME = /^[\p{L}_:][\p{L}\p{N}_:.-]*$/u

/** Checks a rule of the method css, without `[]`: a selector, which may end in `::attr(NAME)` or `::text`. */
export function checkCssRule(rule: string): RuleFault | null {
  const { selector, part, at } = cssSource(rule)
  if (part.kind === 'text') return misplaced(rule) ?? checkCss(selector)
  if (part.kind === 'attribute' && !NAME.test(part.name))
    return { column: at + '::attr('.length + 1, message: '::attr() needs the name of an attribute, as in ::attr(href)' }
  const fault = misplaced(selector) ?? checkCss(selector)
  if (fault) return fault
  // In CSS it would belong to the last selector of the list.
  return parse(selector).length > 1
    ? { column: at + 1, message: `write the list as :is(${selector.trim()})${rule.slice(at).trim()}` }
    : null
}

/** Finds what reads a part in a place where it cannot stand. */
function misplaced(selector: string): RuleFault | null {
  const found = /::(?:text\b|attr\b)/i.exec(selector.replaceAll(/"[^"]*"|'[^']*'/g, (text) => ' '.repeat(text.length)))
  return found
    ? { column: found.index + 1, message: '::attr(NAME) and ::text stand at the end of the whole rule' }
    : null
}
