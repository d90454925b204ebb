import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonText } from '../../schema/validation/parse-json-text.ts'
import { jsons } from '../core/values.ts'

const faultOf = (text: string) => {
  const read = parseJsonText(text)
  return read.ok ? null : read.fault
}

describe('text that is not JSON', () => {
  test.each([
    ['', 'line 1, column 1: expected a value, found the end of the text'],
    ['{"a":1,}', 'line 1, column 8: expected a key in double quotes (no comma may follow the last member), found "}"'],
    ['{\n  "name": "x",\n  "url": y\n}', 'line 3, column 10: expected a value, found "y"'],
    ["{'a':1}", `line 1, column 2: expected a key in double quotes, or }, found "'"`],
    ['{"a" 1}', 'line 1, column 6: expected a colon after the key, found "1"'],
    ['[1 2]', 'line 1, column 4: expected a comma or ], found "2"'],
    ['[1,]', 'line 1, column 4: expected a value, found "]"'],
    ['{"a":[1}', 'line 1, column 8: expected a comma or ], found "}"'],
    ['{"a":1', 'line 1, column 7: expected a comma or }, found the end of the text'],
    ['{"a":1}}', 'line 1, column 8: expected the end of the text, found "}"'],
    ['{"a":"b', 'line 1, column 6: expected the closing quote of this string, found none'],
    ['["a\nb"]', 'found a line break'],
    [String.raw`["\x"]`, 'line 1, column 3: expected a valid escape'],
    ['{"a":tru}', 'line 1, column 6: expected a value, found "t"'],
    ['01', 'line 1, column 2: expected the end of the text, found "1"'],
  ])('%j: the position is named, and what was expected', (text, fault) => {
    expect(faultOf(text)).toContain(fault)
  })

  test('a position is named for any text that JSON.parse refuses, and for no other', () => {
    const cuts = fc.tuple(jsons, fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', 'x', '1', '\n', ':'))
    fc.assert(
      fc.property(cuts, ([value, where, inserted]) => {
        const text = JSON.stringify(value)
        const at = where % (text.length + 1)
        const broken = text.slice(0, at) + inserted + text.slice(at + 1)
        let isJson = true
        try {
          JSON.parse(broken)
        } catch {
          isJson = false
        }
        expect(faultOf(broken)).toEqual(isJson ? null : expect.stringMatching(/^line \d+, column \d+: expected /))
      }),
      { numRuns: 2000 },
    )
  })

  test('of four megabytes costs less than a second, however it is nested', () => {
    const began = process.threadCpuUsage().user
    for (const text of [
      '['.repeat(4_000_000),
      `"${'\\n'.repeat(2_000_000)}`,
      `[${'1,'.repeat(2_000_000)}`,
      '\n'.repeat(4e6),
    ])
      expect(faultOf(text)).toMatch(/^line/)
    expect(process.threadCpuUsage().user - began).toBeLessThan(4_000_000)
  })
})
