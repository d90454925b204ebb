import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type KeyPlace, KEYS } from '../../dashboard/src/parts/keys.ts'

const PAGE = join(import.meta.dirname, '../../docs/dashboard.md')

/** Each screen, with the heading above its table. */
const HEADINGS: Readonly<Record<KeyPlace, string>> = {
  list: 'Its keys',
  everywhere: 'Keys on every screen',
  monitor: 'A monitor',
  making: 'Making a monitor',
  deliveries: 'The deliveries',
  searches: 'The searches',
  changes: 'The changes',
  run: 'A run',
}

test.each(Object.entries(HEADINGS))('the keys of %s are in the documentation below "%s"', async (where, heading) => {
  const [part = ''] = (await readFile(PAGE, 'utf8')).split(new RegExp(`^#+ ${heading}$`, 'm'))[1]?.split(/^#/m) ?? []
  const rows = Array.from(part.matchAll(/^\| (`.*`) +\| (.*?) +\|$/gm), ([, keys, what]) => `${keys}: ${what}`)
  const listed = KEYS[where as KeyPlace].map(
    ({ keys, what }) => `${keys.map((key) => `\`${key}\``).join(', ')}: ${what}`,
  )
  expect(rows).toEqual(listed)
})

test('no key does two things on one screen', () => {
  for (const rows of Object.values(KEYS)) {
    const keys = rows.flatMap((row) => [...row.keys] as string[])
    expect(keys.length).toBe(new Set(keys).size)
  }
})
