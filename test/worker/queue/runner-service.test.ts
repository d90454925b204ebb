import { expect, test } from 'vitest'
import { createRunnerPolicy } from '../../../egress/policy.ts'
import type { Finished } from '../../../runners/check/check-source.ts'
import type { PromptAnswer } from '../../../worker/prompts/prompts-port.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openTrustedSide } from './trusted-side.ts'

const runnerApi = shared(openTrustedSide)

const TEXT = {
  kind: 'text',
  fetchMethod: 'browser',
  mark: { etag: null, lastModified: null, bodyHash: null },
  text: 'Kettle, $3',
  warnings: [],
} as const

test('a check that is completed twice at once asks the model once, and is recorded once', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<PromptAnswer>()
  let tries = 0
  const ask = () => {
    tries += 1
    asked.resolve()
    return answer.promise
  }
  const { url } = await runnerApi.serve({ prompts: { ask, hasRoom: () => true } })
  const { token } = await runnerApi.token()
  const [one, other] = [
    await runnerApi.httpCheckSource({ url, token }),
    await runnerApi.httpCheckSource({ url, token }),
  ]
  const [no = 0] = await runnerApi.database.monitors(await runnerApi.database.team(), {
    queue: 'browser',
    extract: { method: 'prompt', prompt: 'What does it cost?' },
  })
  const task = (await one.claim(10)).find((claimed) => claimed.no === no)
  if (!task) throw new Error('not claimed')
  const at = Math.round(task.claimedMs)
  const finished: Finished = { task, reading: TEXT, startedMs: at, endedMs: at + 1 }
  const first = one.complete(finished)
  await asked.promise
  const second = other.complete(finished)
  // Where the second did not wait, it would come to the model as fast as the first did.
  await eventually(
    () => other.greet(),
    (said) => said.leaseMs > 0,
  )
  answer.resolve({ kind: 'values', values: { result: '$3' }, warnings: [] })
  await Promise.allSettled([first, second])
  expect([tries, (await runnerApi.database.runs(no)).length]).toEqual([1, 1])
})

test('each response tells what to deny before its checks are returned, and a change with the next one', async () => {
  const endpoints = [{ host: '10.0.0.5', port: 5432 }]
  const { url } = await runnerApi.serve({ denied: { cidrs: ['10.1.0.0/16'], endpoints, databasePorts: [5432] } })
  const received: unknown[] = []
  const source = await runnerApi.httpCheckSource({ url, onDenials: (denials) => void received.push(denials) })
  await source.greet()
  endpoints.push({ host: 'api.test', port: 6443 })
  const [no = 0] = await runnerApi.database.monitors(await runnerApi.database.team(), { queue: 'browser' })
  const tasks = await source.claim(10)
  expect(received).toEqual([
    { version: 1, cidrs: ['10.1.0.0/16'], endpoints: endpoints.slice(0, 1), database_ports: [5432] },
    { version: 1, cidrs: ['10.1.0.0/16'], endpoints, database_ports: [5432] },
  ])
  await source.release(tasks, 0)
  expect(tasks.map((task) => task.no)).toContain(no)
})

test.each([
  ['an empty host', { cidrs: [], endpoints: [{ host: '', port: 1 }] }],
  ['no port', { cidrs: [], endpoints: [{ host: 'a', port: 0 }] }],
  ['a network that is none', { cidrs: ['10.0.0.0/99'], endpoints: [] }],
])('a response that denies %s gives a runner no checks', async (_what, denied) => {
  const { url } = await runnerApi.serve({ denied })
  const policy = createRunnerPolicy({ allowPrivateCidrs: [], neverAllow: [] })
  const source = await runnerApi.httpCheckSource({ url, onDenials: (denials) => policy.deny(denials) })
  await expect(source.claim(10)).rejects.toThrow(TypeError)
})
