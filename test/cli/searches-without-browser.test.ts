import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Run } from '../../schema/run/run.ts'
import { openRunnerInstallation, type RunnerInstallation } from '../support/process/runner-installation.ts'
import { eventually } from '../support/run/eventually.ts'

// Processes start.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let installation: RunnerInstallation
beforeAll(async () => {
  installation = await openRunnerInstallation()
  await installation.rows(`update teams set serp = 'included'`)
})
afterAll(() => installation[Symbol.asyncDispose]())

/** Creates a monitor of a search, and returns its first run that has ended. */
async function firstRun(more: object): Promise<Run> {
  const spec = { name: 'S', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'a.example', ...more }
  const { id } = await installation.api<{ id: string }>('POST', '/v1/serp-monitors', spec)
  const { data } = await eventually(
    () => installation.api<{ data: Run[] }>('GET', `/v1/serp-monitors/${id}/runs`),
    ({ data: [run] }) => run !== undefined && run.status !== 'running',
  )
  if (!data[0]) throw new Error('no run')
  return data[0]
}

test('without a browser anywhere, what asks no engine is recorded at once', async () => {
  await installation.rows(
    `insert into serp_engines (engine, refusals, refused_until) values ('bing', 1, clock() + interval '15 minutes')`,
  )
  const left = await firstRun({ engine: 'bing' })
  expect(left).toMatchObject({ status: 'error', error_code: 'blocked', serp_check: { outcome: 'left_alone' } })
  expect(left.error_message).toContain('Bing refused earlier checks as automated and is left alone until')
  await installation.rows('update team_usage set runs_used = runs_limit - 4')
  const skipped = await firstRun({ engine: 'google', pages: 5 })
  expect(skipped).toMatchObject({ status: 'skipped', error_message: expect.stringContaining('needs 5 runs, and 4') })
})
