import { expect, test } from 'vitest'
import { lockfileFaults } from '../../../tools/check/lockfile.ts'

const faults = (packages: Record<string, object>, floors: Record<string, string> = {}): string[] =>
  lockfileFaults({ path: 'package-lock.json', text: JSON.stringify({ packages }) }, floors)

test('a package resolved to an address ties the lockfile to one registry', () => {
  expect(faults({ 'node_modules/pg': { version: '8.0.0', resolved: 'https://mirror.example/pg.tgz' } })[0]).toContain(
    'node_modules/pg',
  )
  expect(faults({ 'node_modules/pg': { version: '8.0.0' } })).toEqual([])
})

test('a link inside the repository is no address', () => {
  expect(faults({ 'node_modules/pulumi': { resolved: 'pulumi', link: true } })).toEqual([])
})

test.each([
  ['8.12.3', true],
  ['8.9.9', true],
  ['7.99.0', true],
  ['8.12.4', false],
  ['8.12.10', false],
  ['9.0.0', false],
])('undici %s with a floor of 8.12.4 is below it: %s', (version, below) => {
  expect(faults({ 'node_modules/undici': { version } }, { undici: '8.12.4' })).toHaveLength(below ? 1 : 0)
})

test('a copy deep inside another package counts too', () => {
  const packages = { 'node_modules/a/node_modules/@scope/b': { version: '1.0.0' } }
  expect(faults(packages, { '@scope/b': '1.0.1' })).toHaveLength(1)
  expect(faults(packages, { b: '1.0.1' })).toEqual([])
})
