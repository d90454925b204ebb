import { expect, test } from 'vitest'
import { readImport } from '../../manifests/import/read-import.ts'

/** Aliases of aliases, which would be a million texts. */
const BOMB = 'bcdefg'
  .split('')
  .map((name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdef'[at]}`).join(',')}]\n`)
  .join('')

test.each([
  ['an alias without its anchor', 'url: *none\n', 'cannot be read: Unresolved alias'],
  ['aliases of aliases', `a: &a [x,x,x,x,x,x,x,x,x]\n${BOMB}url: *g\n`, 'cannot be read: Excessive alias count'],
  ['a text that is no YAML', ': : :', /^cannot be read: it is not YAML: [^:]+ at line 1, column 3$/],
  ['a text that is nested deeply', '['.repeat(100_000), 'cannot be read: '],
])('%s is refused with its reason', (_, text, reason) => {
  for (const tool of ['urlwatch', 'changedetection', 'uptime-kuma'] as const)
    expect(readImport(tool, text, { intervalSeconds: 3600 })).toMatch(reason)
})
