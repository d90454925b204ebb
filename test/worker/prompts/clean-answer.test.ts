import { afterAll, expect, test } from 'vitest'
import { isCutList } from '../../../core/diff/cut-mark.ts'
import { EXTRACT_LIMITS } from '../../../runners/extract/limits.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import type { Treatment } from '../../../schema/monitor/treatment.ts'
import type { Json } from '../../../schema/shape/json.ts'
import { cleanAnswer } from '../../../worker/prompts/clean-answer.ts'
import { readObject } from '../../../worker/prompts/read-answer.ts'

const extractor = createExtractor({ threads: 1, heapMb: 256 })
afterAll(() => extractor.close())

/** Treats the answer of a model to a question without a schema for its one field. */
async function treated(result: Json, ...treatments: Treatment[]) {
  const read = readObject(JSON.stringify({ result }), [])
  if (!read.ok) throw new Error(read.faults[0])
  const { values, warnings } = read
  return cleanAnswer(
    { kind: 'values', values, warnings },
    {
      extractor,
      extract: { clean: { result: treatments } },
      url: 'http://page.example/',
      signal: new AbortController().signal,
    },
  )
}

const CUT = 'The field result is longer than a run keeps; it was cut, and its hash shows when the rest changes.'

test('an answer that treatments make longer than a run keeps is cut, with a warning', async () => {
  const longer: Treatment = { do: 'replace', pattern: '', text: 'x'.repeat(1_000) }
  const answer = await treated('a'.repeat(1_000), longer)
  if (answer.kind !== 'values') throw new Error(answer.kind)
  expect(Buffer.byteLength(answer.values['result'] as string)).toBe(EXTRACT_LIMITS.itemBytes)
  expect(answer.warnings).toEqual([CUT])
})

test('an answer that was cut before keeps its mark, with one warning', async () => {
  const answer = await treated(
    Array.from({ length: 1_001 }, (_, nth) => nth),
    { do: 'first', count: 1 },
  )
  if (answer.kind !== 'values') throw new Error(answer.kind)
  const list = answer.values['result'] as readonly Json[]
  expect([list[0], list.length, isCutList(list), answer.warnings]).toEqual([0, 2, true, [CUT]])
})

test('an answer of which nothing is left is known as one that treatments emptied', async () => {
  expect(await treated('all is well', { do: 'keep_lines', pattern: 'outage' })).toMatchObject({
    values: { result: '' },
    emptied: ['result'],
    warnings: [expect.stringContaining('Nothing is left')],
  })
  expect(await treated('an outage', { do: 'keep_lines', pattern: 'outage' })).not.toHaveProperty('emptied')
})

test('a treatment that makes too much of an answer is the fault of the run, by its name', async () => {
  const longer: Treatment = { do: 'replace', pattern: '', text: 'x'.repeat(1_000) }
  expect(await treated('a'.repeat(60_000), longer)).toEqual({
    kind: 'failed',
    fault: { code: 'too_complex', message: expect.stringContaining('extract_config.clean') as string },
    retryAfterMs: 0,
  })
})
