import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { compareDebian } from '../../../tools/vulnerabilities/debian-version.ts'
import { describeIf, hasProgram } from '../../support/run/skip.ts'

describe('Versions of Debian', () => {
  test.each([
    ['1.0', '1.0', 0],
    ['1.0-0', '1.0', 0],
    ['0:1.0', '1.0', 0],
    ['1.010', '1.10', 0],
    ['1.9', '1.10', -1],
    ['1.0~rc1', '1.0', -1],
    ['1.0~~', '1.0~', -1],
    ['1.0', '1.0a', -1],
    ['1.0a', '1.0+b1', -1],
    ['9.0', '1:1.0', -1],
    ['2.36-9+deb12u9', '2.36-9+deb12u10', -1],
    ['1.0-1-2', '1.0-2', 1],
    ['99999999999999999999998', '99999999999999999999999', -1],
  ])('%s against %s is %d', (one, other, sign) => {
    expect(Math.sign(compareDebian(one, other))).toBe(sign)
    expect(Math.sign(compareDebian(other, one))).toBe(sign === 0 ? 0 : -sign)
  })

  describeIf(hasProgram('dpkg'), 'they are compared as dpkg does on Debian and Ubuntu only', { isBeyondCi: true })(
    'made at random',
    () => {
      test('have the order that dpkg gives them', () => {
        const part = fc.string({ unit: fc.constantFrom('0', '1', '9', '10', 'a', 'Z', '+', '.', '~'), maxLength: 5 })
        const version = fc
          .tuple(fc.constantFrom('', '0:', '2:'), part, fc.constantFrom('', '-1', '-0', '-1~a', '-a+1'))
          .map(([epoch, rest, revision]) => `${epoch}1${rest}${revision}`)
        // Pairs with the same start are the hard ones.
        const pair = fc.tuple(version, version, part).map(([a, b, more]) => (more.length > 2 ? [a, a + more] : [a, b]))
        const pairs = fc.sample(pair, 200)
        const one = 'for o in lt eq gt; do dpkg --compare-versions "$a" $o "$b" && echo $o && break; done'
        const input = pairs.map((both) => `${both.join(' ')}\n`).join('')
        const orders = execFileSync('sh', ['-c', `while read -r a b; do ${one}; done`], { input, encoding: 'utf8' })
          .trim()
          .split('\n')
        const found = pairs.map(([a = '', b = '']) => ['lt', 'eq', 'gt'][Math.sign(compareDebian(a, b)) + 1])
        expect(pairs.map((both, at) => [both, found[at]])).toEqual(pairs.map((both, at) => [both, orders[at]]))
      })
    },
  )
})
