import { expect, test } from 'vitest'
import { committedTextFaults } from '../../../tools/check/committed-text.ts'

const faults = (text: string): string[] => committedTextFaults({ path: 'docs/a.md', text }, {})

// Put together here, so that this file passes the check that it tests.
const join = (...parts: string[]): string => parts.join('')

test.each([
  join('see /wo', 'rk/main/README.md'),
  join('cd /ro', 'ot/tidemark'),
  join('cd /ho', 'me/alice/tidemark'),
  join('cd /Us', 'ers/alice/tidemark'),
  join('"resolved": "https://regi', 'stry.npmjs.org/pg"'),
  join('np', 'x tidemark check'),
  join('np', 'x --yes tidemark serve'),
  join('pip --index https://py', 'pi.org/simple'),
])('%s is true on one machine only', (line) => {
  expect(faults(`fine\n${line}\n`)).toHaveLength(1)
  expect(faults(`fine\n${line}\n`)[0]).toMatch(/^docs\/a\.md:2: /)
})

test.each(['/v1/work/main', 'GET /home', 'https://example.com/home/alice/x', 'npm install', '/usr/lib/postgresql/15'])(
  '%s is fine',
  (line) => {
    expect(faults(line)).toEqual([])
  },
)

test('a file that must name one is listed with the reason', () => {
  const file = { path: 'docs/a.md', text: join('/ro', 'ot/x') }
  expect(committedTextFaults(file, { 'docs/a.md': 'because' })).toEqual([])
})
