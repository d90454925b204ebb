import { expect, test } from 'vitest'
import type { Reading } from '../../../runners/check/reading.ts'
import type { PageTask } from '../../../runners/check/task.ts'
import { outcomeToWire } from '../../../runners/client/outcome-wire.ts'
import { taskFromWire, taskToWire } from '../../../runners/client/task-wire.ts'
import { EXTRACT_LIMITS } from '../../../runners/extract/limits.ts'
import { RunnerOutcome } from '../../../schema/runner-api.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { pageOutcomeOf } from '../../../worker/kinds/page-outcome.ts'

const TASK: PageTask = {
  kind: 'page',
  queue: 'browser',
  no: 1,
  fence: 1,
  runId: '0197a000-0000-7000-8000-000000000000',
  monitorId: '0197a000-0000-7000-8000-000000000001',
  url: 'https://example.com/',
  host: 'https://example.com',
  extract: { method: 'full_page' },
  request: null,
  visual: null,
  triesStatic: false,
  reason: null,
  headers: null,
  obstacle: null,
  last: null,
  dueMs: null,
  claimedMs: 0,
  claimedAt: 0,
}
const HASH = 'a'.repeat(64)

/** The reading that the trusted side takes over from a runner. */
function accepted(pageText: string, task: PageTask, values: object = { content_hash: HASH }, more: object = {}) {
  const mark = { etag: null, lastModified: null, bodyHash: null }
  const reading = {
    kind: 'values',
    fetchMethod: 'browser',
    mark,
    values,
    pageText,
    warnings: [],
    ...more,
  } as unknown as Reading
  const finished = { task, reading: reading as Exclude<Reading, { kind: 'abandoned' }>, startedMs: 1, endedMs: 2 }
  const { head } = outcomeToWire(finished)
  const checked = checkerOf(RunnerOutcome).validate(JSON.parse(Buffer.from(head).toString()))
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  const reported = { outcome: checked.value, pictures: [] }
  const outcome = pageOutcomeOf(reported, { task, hasBaseline: true, layerIsRemembered: false, hasProxy: false })
  return outcome.ok && outcome.reading.kind === 'values' ? outcome.reading : null
}

test('the text of a whole page comes through the runner API as it is', () => {
  expect(accepted('# News\n- Öl €\n- "x"', TASK)).toMatchObject({
    values: { content_hash: HASH },
    pageText: '# News\n- Öl €\n- "x"',
  })
})

test('a text that a runner has not cut is cut, and one of another method is not taken', () => {
  const long = accepted('€'.repeat(200_000), TASK)?.pageText ?? ''
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(EXTRACT_LIMITS.pageTextBytes)
  expect(long).toMatch(/^€+…\[truncated sha256:[0-9a-f]{32}\]$/)
  const css: PageTask = { ...TASK, extract: { method: 'css', fields: { price: '.price' } } }
  expect(accepted('text', css, { price: '1' })).not.toHaveProperty('pageText')
})

test('the fields that treatments emptied come through the runner API', () => {
  const emptied = ['content_hash']
  expect(accepted('', TASK, { content_hash: '' }, { emptied })).toMatchObject({ emptied })
  expect(accepted('', TASK)).not.toHaveProperty('emptied')
})

test('a runner learns which values a page without its media has to have, and says how it rendered the page', () => {
  const readingHash = Buffer.from('0123456789abcdef')
  const task: PageTask = { ...TASK, withoutMedia: { readingHash, readBy: 2 } }
  expect(taskFromWire(JSON.parse(JSON.stringify(taskToWire(task))), 0)).toMatchObject({
    withoutMedia: { readingHash, readBy: 2 },
  })
  expect(taskFromWire(taskToWire(TASK), 0)).not.toHaveProperty('withoutMedia')
  for (const said of [{ withoutMedia: true }, { needsMedia: true }]) {
    expect(accepted('x', task, undefined, said)).toMatchObject(said)
    // Nobody asked for it.
    const unasked = accepted('x', TASK, undefined, said)
    expect(Object.keys(unasked ?? {}).filter((key) => /media/i.test(key))).toEqual([])
  }
  // One that needs them was not rendered without them in the end.
  expect(accepted('x', task, undefined, { withoutMedia: true, needsMedia: true })).not.toHaveProperty('withoutMedia')
})
