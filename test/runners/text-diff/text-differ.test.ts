import { applyPatch } from 'diff'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { diffTexts, excerptTexts } from '../../../runners/text-diff/diff-texts.ts'
import { createTextDiffer } from '../../../runners/text-diff/text-differ.ts'

const differ = createTextDiffer()
const MINE = { key: 'a team' }
afterAll(() => differ.close())

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
const changed = (index: number, line: string) => LINES.with(index, line).join('\n')

describe('a difference of texts', () => {
  test('is unified, with three lines around each change, and by word', async () => {
    const pair = { before: changed(9, 'the price is 10 EUR today'), after: changed(9, 'the price is 12 EUR today') }
    expect(await differ.diff(pair, MINE)).toEqual({
      unified: [
        '@@ -7,7 +7,7 @@',
        ' line 7',
        ' line 8',
        ' line 9',
        '-the price is 10 EUR today',
        '+the price is 12 EUR today',
        ' line 11',
        ' line 12',
        ' line 13',
        '',
      ].join('\n'),
      words: [
        {
          before_line: 7,
          after_line: 7,
          parts: [
            { kind: 'same', text: 'line 7\nline 8\nline 9\n' },
            { kind: 'same', text: 'the price is ' },
            { kind: 'removed', text: '10' },
            { kind: 'added', text: '12' },
            { kind: 'same', text: ' EUR today\n' },
            { kind: 'same', text: 'line 11\nline 12\nline 13\n' },
          ],
        },
      ],
      lines_added: 1,
      lines_removed: 1,
      coarse: false,
    })
  })

  test('of equal texts is empty', async () => {
    const nothing = { unified: '', words: [], lines_added: 0, lines_removed: 0, coarse: false }
    expect(await differ.diff({ before: 'a', after: 'a' }, MINE)).toEqual(nothing)
  })

  test('turns the text before into the text after, and its words give both back', () => {
    const text = fc.array(fc.constantFrom('a', 'b b', 'c', '', '- x', '+ y', '@@ -1 +1 @@', '\\ z'), { maxLength: 30 })
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [before, after] = [one.join('\n'), other.join('\n')]
        const { unified, words } = diffTexts({ before, after })
        if (unified !== '') expect(applyPatch(`${before}\n`, `--- a\n+++ b\n${unified}`)).toBe(`${after}\n`)
        else expect(after).toBe(before)
        for (const { before_line, after_line, parts } of words) {
          const without = (kind: string) => parts.flatMap((part) => (part.kind === kind ? [] : [part.text])).join('')
          expect(linesFrom(before, before_line).startsWith(without('added'))).toBe(true)
          expect(linesFrom(after, after_line).startsWith(without('removed'))).toBe(true)
        }
      }),
    )
  })

  const linesFrom = (text: string, line: number) =>
    `${text
      .split('\n')
      .slice(Math.max(0, line - 1))
      .join('\n')}\n`

  test('of texts with nothing in common is coarse, and still right', () => {
    const noise = (mark: string) => Array.from({ length: 15_000 }, (_, index) => `${mark}${index}`)
    const before = ['head', ...noise('a'), 'tail'].join('\n')
    const after = ['head', ...noise('b'), 'tail'].join('\n')
    const difference = diffTexts({ before, after })
    expect(difference).toMatchObject({ coarse: true, lines_added: 15_000, lines_removed: 15_000 })
    expect(applyPatch(`${before}\n`, `--- a\n+++ b\n${difference.unified}`)).toBe(`${after}\n`)
  })

  test('of the worst texts ends, while the process goes on', async () => {
    const coins = (seed: number) => {
      let state = seed
      return Array.from({ length: 130_000 }, () => ((state = (state * 48_271) % 2_147_483_647) & 64 ? 'a' : 'b'))
    }
    let turns = 0
    const ticking = setInterval(() => (turns += 1), 10)
    const startedAt = performance.now()
    const difference = await differ.diff({ before: coins(1).join('\n'), after: coins(2).join('\n') }, MINE)
    clearInterval(ticking)
    const tookMs = performance.now() - startedAt
    expect(difference === null || difference.coarse).toBe(true)
    expect(tookMs).toBeLessThan(15_000)
    expect(turns).toBeGreaterThan(tookMs / 100)
  })

  test('is null when its thread has to be ended, and the next one is made', async () => {
    const strict = createTextDiffer({ timeoutMs: 50 })
    const noise = (mark: string) => Array.from({ length: 15_000 }, (_, index) => `${mark}${index}`).join('\n')
    expect(await strict.diff({ before: noise('a'), after: noise('b') }, MINE)).toBeNull()
    await strict.close()
    expect(await differ.diff({ before: 'a', after: 'b' }, MINE)).toMatchObject({ lines_added: 1 })
  })
})

describe('a differ that many use', () => {
  /** Takes a second: the search is given up then. */
  const noise = (mark: string) => Array.from({ length: 15_000 }, (_, index) => `${mark}${index}`).join('\n')
  const slow = { before: noise('a'), after: noise('b') }

  test('gives each team its turn, and limits what waits of one', async () => {
    const turns = createTextDiffer()
    const order: string[] = []
    const ended = (key: string, pair: { before: string; after: string }) =>
      turns.diff(pair, { key }).then(
        (difference) => void order.push(difference === null ? `${key} refused` : key),
        // The differ is closed while texts wait.
        () => {},
      )
    const many = Array.from({ length: 20 }, () => ended('many', slow))
    await ended('one', { before: 'a', after: 'b' })
    // The text of the other team was compared after the first one, and before the rest.
    expect(order.filter((key) => key === 'many').length).toBeLessThanOrEqual(1)
    expect(order.filter((key) => key === 'many refused')).toHaveLength(4)
    await turns.close()
    await Promise.all(many)
  })

  test('ends a wait and a search at the deadline of the request', async () => {
    const began = performance.now()
    const running = differ.diff(slow, { key: 'a', signal: AbortSignal.timeout(300) })
    const waiting = differ.diff(slow, { key: 'b', signal: AbortSignal.timeout(10) })
    expect(await waiting).toBeNull()
    await running
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await differ.diff({ before: 'a', after: 'b' }, MINE)).toMatchObject({ lines_added: 1 })
  })
})

describe('an excerpt', () => {
  test('shows the added line beside the removed one', async () => {
    expect(await differ.excerpt({ before: 'a\nb\nc', after: 'a\nx\nc\nd' }, MINE)).toEqual({
      lines_added: 2,
      lines_removed: 1,
      excerpt: '- b\n+ x\n+ d',
    })
  })

  test('has at most twelve lines, and counts all', () => {
    const many = (mark: string) => Array.from({ length: 50 }, (_, index) => `${mark}${index}`).join('\n')
    const { excerpt, ...counts } = excerptTexts({ before: many('a'), after: many('b') })
    expect(excerpt.split('\n')).toHaveLength(12)
    expect(counts).toEqual({ lines_added: 50, lines_removed: 50 })
  })

  test('shows a long line from shortly before the difference', () => {
    const long = (word: string) => `${'some words '.repeat(100)}${word} ${'and more '.repeat(100)}`
    const [removed = '', added = ''] = excerptTexts({ before: long('old'), after: long('new') }).excerpt.split('\n')
    expect(removed).toMatch(/^- ….*words old and more.*…$/)
    expect(added).toMatch(/^\+ ….*words new and more.*…$/)
    expect(added.length).toBeLessThan(170)
  })
})
