import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hiddenDestinations, tokenOf } from '../../../runners/serp/google-destinations.ts'

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
const bytes = (field: number, content: readonly number[]): number[] => [
  ...varint((field << 3) | 2),
  ...varint(content.length),
  ...content,
]
const text = (field: number, value: string): number[] => bytes(field, [...Buffer.from(value)])

function script(link: string, url: string): string {
  const inner = [...text(7, 'A <b>title</b>'), ...text(6, url)]
  const message = [0x10, 0x05, ...text(1, link), ...bytes(3, [...text(2, 'x'), ...bytes(1024, inner)])]
  const req = Buffer.from(message).toString('base64url')
  const path = '/search/about-this-result?origin\\u003dwww.google.com\\u0026req\\u003d'
  const entry = `["${link.replace('=', '\\u003d')}","${path}${req}\\u0026hl\\u003den"]`
  return `(function(){var m={"a":${entry}};window.W_jd=m})()`
}

describe('destinations that Google hides', () => {
  const link = '/goto?url=CAESsomething-long_enough'

  test('are read from the scripts of the same page', () => {
    const found = hiddenDestinations([script(link, 'https://example.com/a?b=c')])
    expect([...found]).toEqual([[tokenOf(link), 'https://example.com/a?b=c']])
  })

  test('are read from neighbours in a list', () => {
    const hidden = '["/goto?url\\u003dCAESsomething-long_enough\\u003d",1,null]'
    const list = `[${hidden},["https://example.com/a?b\\u003dc","title"]]`
    expect(hiddenDestinations([list]).get('CAESsomething-long_enough')).toBe('https://example.com/a?b=c')
  })

  test('are left out where they are no web address', () => {
    expect(hiddenDestinations([script(link, 'javascript:alert(1)')]).size).toBe(0)
  })

  test('are left out, without an error, where the data is broken', () => {
    const whole = script(link, 'https://example.com/a')
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.string({ maxLength: 4 }), fc.nat(40), (at, put, cut) => {
        const broken = whole.slice(0, at) + put + whole.slice(at + cut)
        for (const url of hiddenDestinations([broken]).values()) expect(url).toMatch(/^https?:\/\//)
      }),
      { numRuns: 2_000 },
    )
  })
})
