import { expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import { checkPage } from '../../monitors/check/check-configuration.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'

const egress = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
const faults = (change: object): string[] => {
  const checked = checkPage({ ...SMALLEST, ...change }, { egress, isNew: true })
  return checked.kind === 'invalid' ? checked.issues.map(({ path, message }) => `${path}: ${message}`) : []
}

test('selectors and patterns of an ignore block that cannot run are refused with their paths', () => {
  const wholePage = (ignore: object) => ({ extract_config: { method: 'full_page', ignore } })
  expect(faults(wholePage({ selectors: ['.ad'], patterns: ['^Updated'] }))).toEqual([])
  expect(faults(wholePage({ selectors: ['.ad', 'b['], patterns: ['(a'] }))).toEqual([
    expect.stringMatching(/^extract_config\.ignore\.selectors\[1\]: is not a CSS selector that can run/),
    expect.stringMatching(/^extract_config\.ignore\.patterns\[0\]: is not a JavaScript pattern that can run/),
  ])
})

test('so are those of the other methods that read a page as a tree', () => {
  const ignore = { selectors: ['.ad', 'b[', 'a::attr(href)'] }
  const without = { method: 'prompt', prompt: 'Which jobs are open?', ignore }
  for (const config of [{ ...SMALLEST.extract_config, ignore }, without])
    expect(faults({ extract_config: config })).toEqual([
      expect.stringMatching(/^extract_config\.ignore\.selectors\[1\]: is not a CSS selector that can run/),
      expect.stringMatching(/^extract_config\.ignore\.selectors\[2\]: is not a CSS selector that can run/),
    ])
})

test('a wait_for that is no selector is refused, whatever the method', () => {
  const waiting = (method: object, wait_for: string) => ({
    fetch_mode: 'browser',
    extract_config: { ...method, wait_for },
  })
  for (const method of [{ method: 'full_page' }, SMALLEST.extract_config]) {
    expect(faults(waiting(method, 'main > .price'))).toEqual([])
    expect(faults(waiting(method, 'b['))).toEqual([
      expect.stringMatching(/^extract_config\.wait_for: is not a CSS selector that can run: column 3/),
    ])
  }
})
