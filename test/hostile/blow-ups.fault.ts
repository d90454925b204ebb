import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BlowUpWorker, openBlowUpWorker } from './blow-up-worker.ts'
import { BLOW_UPS, DEADLINE_MS, FIRST_BYTE_MS } from './blow-ups.ts'

/**
 * Here and not in the quick suite, for it measures: the limits of extraction are the product's, and nothing of ours
 * runs beside it.
 */
let worker: BlowUpWorker
beforeAll(async () => {
  worker = await openBlowUpWorker(() => ({ firstByteMs: FIRST_BYTE_MS, deadlineMs: DEADLINE_MS }))
})
afterAll(() => worker[Symbol.asyncDispose]())

describe('within its time ends a check of', () => {
  test.each(BLOW_UPS.map((row) => [row.what, row] as const))('%s', async (_what, row) => {
    const { run, next } = await worker.check(row)
    expect([row.comesTo].flat()).toContain(run.error_code ?? 'success')
    expect(run.duration_ms).toBeLessThan(row.withinMs)
    expect(next).toMatchObject({ status: 'success', extracted: { price: '$1' } })
  })
})
