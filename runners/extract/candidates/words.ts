import { looksGenerated, tellsLook } from './generated-name.ts'
import type { Selector, Step, Test } from './selector.ts'
import { shown } from './shown.ts'

/** Returns a test as a reason says it: `itemprop=price`, `the id main`. */
export function testWords(test: Test): string {
  const value = test.value === null ? '' : shown(test.value)
  if (test.kind === 'id') return `the id ${value}${fleeting(looksGenerated(test.value))}`
  if (test.kind === 'class') return `the class ${value}${fleeting(looksGenerated(test.value) || tellsLook(test.value))}`
  if (test.kind === 'link' || test.name === 'href') return `a link to ${value}`
  return test.value === null ? `the attribute ${shown(test.name)}` : `${test.name}=${value}`
}

const fleeting = (is: boolean) => (is ? ', which may change with the next design' : '')

function stepWords({ like, tests, nth }: Step): string {
  const name = like === null ? 'element' : shown(like.name)
  const having = tests.length === 0 ? '' : ` with ${tests.map(testWords).join(' and ')}`
  return nth === null ? `${name}${having}` : `${name} number ${nth}${having}`
}

/** Returns steps as a reason says them, the last one first: `span in li number 3`. */
export const pathWords = (steps: Selector): string => steps.map(stepWords).toReversed().join(' in ')
