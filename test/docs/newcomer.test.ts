import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/run/eventually.ts'
import { openReader, type Reader } from './follow-page.ts'
import { type Task, TASKS } from './newcomer-tasks.ts'

describe('A newcomer with an empty data folder', () => {
  let reader: Reader
  const times: [title: string, ms: number][] = []
  beforeAll(async () => {
    reader = await openReader('bash')
  })
  afterAll(async () => {
    await reader[Symbol.asyncDispose]()
    const lines = times.map(([title, ms]) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${title}\n`)
    process.stdout.write(`until the result of each:\n${lines.join('')}`)
  })
  const follow = async ({ title, shows, ...step }: Task) => {
    const before = performance.now()
    expect(await reader.follow(step), title).toMatch(shows)
    times.push([title, performance.now() - before])
  }

  test('sees the result of each task', async () => {
    for (const task of TASKS) await follow(task)
    const received = await eventually(
      () => reader.received(),
      (output) => output.includes('"name": "The kettle"'),
    )
    expect(received).toMatch(/"before": \{\s+"price": "\$19\.99"\s+\},\s+"after": \{\s+"price": "\$17\.49"/)
  }, 600_000)
})
