import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DOC_BLOCKS } from '../support/docs/doc-blocks.ts'
import { eventually } from '../support/run/eventually.ts'
import { openReader, type Reader } from './follow-page.ts'

/** The blocks of the first two styles. The others need a cluster, or a command that npm does not have. */
const STEPS = DOC_BLOCKS.filter(
  ({ page, marker }) => page === 'quickstart.md' && marker?.endsWith('another test follows this page'),
).map(({ text }) => ({ text, runs: /changing-page|npm start/.test(text) ? ('on' as const) : ('here' as const) }))

describe('The quickstart, followed from the top', () => {
  let reader: Reader
  beforeAll(async () => {
    reader = await openReader('bash')
  })
  afterAll(() => reader[Symbol.asyncDispose]())

  test('delivers a change by curl, and another by the command line', async () => {
    const said: string[] = []
    for (const step of STEPS) said.push(await reader.follow(step))
    expect(STEPS.length).toBeGreaterThanOrEqual(9)
    const all = said.join('\n')
    expect(all).toContain('queued: true')
    expect(all).toContain('created monitor default/kettle\n')
    const change = '~ change monitor default/kettle\n    spec.scheduleIntervalSeconds: 60 → 900\n'
    expect(all.split(change)).toHaveLength(3)
    expect(all).toContain('Nothing differs: 1 unchanged.\n')
    expect(all).toMatch(/^Kettle of the shop +\d+s +success +\d+ +yes/m)
    const received = await eventually(
      () => reader.received(),
      (output) => output.includes('"name": "Kettle of the shop"') && output.includes('"name": "Kettle"'),
    )
    expect(received).toMatch(/"before": \{\s+"price": "\$19\.99"\s+\},\s+"after": \{\s+"price": "\$17\.49"/)
  }, 180_000)
})
