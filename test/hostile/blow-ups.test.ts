import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MONITOR, pathsOf } from '../support/api/monitor-requests.ts'
import { serveApi, type ServedApi } from '../support/api/served-api.ts'
import { shared } from '../support/run/shared.ts'
import { openBlowUpWorker } from './blow-up-worker.ts'
import { BLOW_UPS, type BlowUp } from './blow-ups.ts'

/**
 * A busy machine may need them for what is no harm. How fast each row is within the product's own limits is measured in
 * blow-ups.fault.ts.
 */
const PATIENT = { firstByteMs: 40_000, deadlineMs: 40_000 }
/** Of rows that only a deadline ends: long enough for an answer to begin. */
const IMPATIENT = { firstByteMs: 2_500, deadlineMs: 2_500 }

function limitsOf(row: BlowUp | null) {
  const codes = [row?.comesTo].flat()
  if (codes.includes('timeout')) return IMPATIENT
  // The thread's limit is what ends these, and it is the product's.
  return codes.includes('extract_timeout') ? PATIENT : { ...PATIENT, extractMs: 40_000 }
}

const worker = shared(() => openBlowUpWorker(limitsOf))

describe('a check of', () => {
  test.each(BLOW_UPS.map((row) => [row.what, row] as const))('%s', async (_what, row) => {
    const { run, next } = await worker.check(row)
    expect([row.comesTo].flat()).toContain(run.error_code ?? 'success')
    if (run.error_code === null) {
      expect(run.status).toBe('success')
      if (row.value !== undefined) expect(run.extracted).toMatchObject({ it: row.value })
    } else {
      expect(run.error_message).toMatch(/^[A-Z`"\d].+[.:] .+\.$/)
      if (row.says) expect(run.error_message).toMatch(row.says)
    }
    // Whoever comes next is served: the process lives, and so do its threads.
    expect(next).toMatchObject({ status: 'success', extracted: { price: '$1' } })
    expect(worker.log).toEqual([])
  })
})

describe('a rule that is too much for its engine is refused when it is saved:', () => {
  let served: ServedApi
  beforeAll(async () => {
    served = await serveApi()
  })
  afterAll(() => served.close())

  test.each([
    ['an XPath in 5,000 parentheses', 'xpath', `${'('.repeat(5_000)}1${')'.repeat(5_000)}`],
    ['an XPath in 51 parentheses', 'xpath', `${'('.repeat(51)}1${')'.repeat(51)}`],
    ['5,000 `:not(` in one another', 'css', `${':not('.repeat(5_000)}p${')'.repeat(5_000)}`],
    ['51 `:not(` in one another', 'css', `${':not('.repeat(51)}p${')'.repeat(51)}`],
    ['a list of 10,000 selectors', 'css', Array<string>(10_000).fill('p').join()],
    ['a list of 51 selectors', 'css', Array<string>(51).fill('p').join()],
    ['a JSONPath in 51 brackets', 'json_path', `$${'[?@'.repeat(51)}${']'.repeat(51)}`],
    ['a pattern of 1,001 characters', 'regex', 'a'.repeat(1_001)],
    ['XPath functions that read files', 'xpath', "document('file:///etc/passwd')"],
  ])('%s', async (_what, method, rule) => {
    const extract_config = { method, fields: { it: rule } }
    expect(pathsOf(await served.me.post('/v1/monitors', { ...MONITOR, extract_config }))).toEqual([
      'extract_config.fields.it',
    ])
  })
})
