import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownPath } from '../../../api/pages/own-path.ts'

const BASE = 'https://watch.example'

test.each([
  ['/monitors/1/runs/2?a=b#c', '/monitors/1/runs/2?a=b#c'],
  ['/', '/'],
  ['/a/../b', '/b'],
  ['/ä b', '/%C3%A4%20b'],
])('%s leads to a page of this service', (text, path) => {
  expect(ownPath(text)).toBe(path)
})

test.each([
  undefined,
  '',
  'monitors',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  `/${'a'.repeat(2_000)}`,
])('%j is nothing', (text) => {
  expect(ownPath(text)).toBeNull()
})

test('whatever a link says, a browser stays here', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '//',
    '\t',
    '\n',
    '@',
    ':',
    '?',
    '#',
    '%2f',
    'evil.example',
    'a',
    ' ',
  )
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((all) => `/${all.join('')}`),
    fc.string(),
    fc.webUrl(),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const path = ownPath(text)
      if (path !== null) expect(new URL(path, BASE).origin).toBe(BASE)
    }),
    { numRuns: 5_000 },
  )
})
