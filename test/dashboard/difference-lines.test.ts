import { expect, test } from 'vitest'
import type { RunDiff } from '../../dashboard/src/api/types.ts'
import { hunksOf } from '../../dashboard/src/runs/difference-lines.ts'

type Part = RunDiff['fields'][number]['words'][number]['parts'][number]

/** Returns the lines beside each other, as the screen of a run shows them by words. */
function rowsOf(parts: readonly Part[]) {
  const words = [{ before_line: 4, after_line: 4, parts }]
  const field = {
    field: 'content_hash',
    of: 'page_text',
    unified: '',
    words,
    lines_added: 1,
    lines_removed: 0,
  } as const
  return hunksOf({ ...field, coarse: false }, 'words')[0]?.rows.map(({ before, after }) => [
    before && `${before.number} ${before.parts.map(({ text }) => text).join('')}`,
    after && `${after.number} ${after.parts.map(({ text }) => text).join('')}`,
  ])
}

test('A line that was added stands beside nothing, and those behind it beside themselves', () => {
  const rows = rowsOf([
    { kind: 'same', text: 'We may ' },
    { kind: 'removed', text: 'terminate' },
    { kind: 'added', text: 'suspend' },
    { kind: 'same', text: ' it\nCards\n' },
    { kind: 'added', text: 'Letters\n' },
    { kind: 'same', text: 'A complaint\n' },
  ])
  expect(rows).toEqual([
    ['4 We may terminate it', '4 We may suspend it'],
    ['5 Cards', '5 Cards'],
    [null, '6 Letters'],
    ['6 A complaint', '7 A complaint'],
  ])
})

test('Lines that replace others stand beside them', () => {
  const rows = rowsOf([
    { kind: 'removed', text: 'one\ntwo\n' },
    { kind: 'added', text: 'first\n' },
    { kind: 'same', text: 'three\n' },
  ])
  expect(rows).toEqual([
    ['4 one', '4 first'],
    ['5 two', null],
    ['6 three', '5 three'],
  ])
})
