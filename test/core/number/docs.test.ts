import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decimalText } from '../../../core/number/decimal.ts'
import { readNumber } from '../../../core/number/read-number.ts'

/** Each text of the tables of docs/predicates.md, and the number that stands behind it. */
function documented(): [string, string | null][] {
  const page = readFileSync(new URL('../../../docs/predicates.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('## How numbers are read'))
  const rows = section.matchAll(/\| ((?:`[^`]+`(?:, )?)+) +\| (none|-?[\d.]+) +\|$/gm)
  return [...rows].flatMap(([, texts = '', number = '']) =>
    [...texts.matchAll(/`([^`]+)`/g)].map(([, text = '']): [string, string | null] => [
      text,
      number === 'none' ? null : number,
    ]),
  )
}

test('the documented tables are found', () => {
  expect(documented().length).toBeGreaterThan(35)
})

test.each(documented())('%s is read as %s, as documented', (text, expected) => {
  const number = readNumber(text)
  expect(number && decimalText(number)).toBe(expected)
})
