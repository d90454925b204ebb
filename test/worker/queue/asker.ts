import { expect } from 'vitest'
import type { Task } from '../../../runners/check/task.ts'
import type { HttpCheckSource } from '../../../runners/client/http-check-source.ts'
import { frameOutcome } from '../../../runners/client/outcome-frame.ts'
import { OUTCOME_TYPE } from '../../../schema/runner-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import type { MonitorOptions } from '../../support/database/queue-database.ts'
import { draw } from '../pictures/drawings.ts'
import { type TrustedSide, openTrustedSide } from './trusted-side.ts'

export const VERBS = ['claim', 'heartbeat', 'complete', 'release', 'exchange'] as const
export const MARK = { etag: null, last_modified: null, body_hash: null }
export const VALUES = { kind: 'values', fetch_method: 'browser', mark: MARK, warnings: [] }

/** A monitor to be rendered; with pictures where `visual` is given. */
export type Watched = MonitorOptions & { readonly visual?: object }

interface Answer {
  readonly status: number
  readonly code: string
  /** Of the issues. */
  readonly paths: readonly string[]
}

/** Somebody with a token, who can say to the runner API whatever a test wants. */
export interface Asker extends AsyncDisposable {
  readonly runnerApi: TrustedSide
  readonly team: string
  readonly png: Uint8Array
  /** Whose token the requests carry, and a check source that is used rightly. */
  job: { readonly token: string; readonly source: HttpCheckSource }
  newJob(): Promise<void>
  /** Nothing is due any more. */
  reset(): Promise<void>
  claimed(options?: Watched): Promise<Task>
  post(verb: string, body: Buffer | string, headers?: Record<string, string>): Promise<Answer>
  /** All that a verb could change. */
  state(): Promise<object[]>
}

export async function openAsker(): Promise<Asker> {
  const runnerApi = await openTrustedSide()
  const team = await runnerApi.database.team()
  const newJob = async () => {
    const { token } = await runnerApi.token()
    return { token, source: await runnerApi.httpCheckSource({ token }) }
  }
  const asker: Asker = {
    runnerApi,
    team,
    png: await draw(),
    job: await newJob(),
    async newJob() {
      asker.job = await newJob()
    },
    async reset() {
      await runnerApi.database.setClock('0')
      await stopChecks(runnerApi.database, 'all')
    },
    async claimed({ visual, ...rest } = {}) {
      const [no = 0] = await runnerApi.database.monitors(team, { queue: visual ? 'visual' : 'browser', ...rest })
      if (visual) await changeMonitors(runnerApi.database, no, { visualConfig: visual })
      const task = (await asker.job.source.claim(10)).find((one) => one.no === no)
      if (!task) throw new Error('not claimed')
      return task
    },
    post: (verb, body, headers = {}) =>
      ask(`${runnerApi.runnerApiUrl}/runner/${verb}`, body, {
        authorization: `Bearer ${asker.job.token}`,
        'content-type': verb === 'complete' ? OUTCOME_TYPE : 'application/json',
        ...headers,
      }),
    state: () => runnerApi.database.everyCheck(),
    [Symbol.asyncDispose]: () => runnerApi[Symbol.asyncDispose](),
  }
  return asker
}

async function ask(url: string, body: Buffer | string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers, body: body as never })
  const text = await response.text()
  if (response.ok) return { status: response.status, code: '', paths: [] }
  const { error } = JSON.parse(text) as { error: { code: string; details: { path: string }[]; requestId: string } }
  expect(error.requestId).toMatch(/./)
  return { status: response.status, code: error.code, paths: error.details.map(({ path }) => path) }
}

/** A good outcome, and what is to be otherwise about it. */
export const outcome = (task: Task, more: object = {}) => ({
  no: task.no,
  fence: task.fence,
  started_ms: Math.round(task.claimedMs),
  ended_ms: Math.round(task.claimedMs),
  reading: VALUES,
  values: { price: '$1' },
  pictures: [] as number[],
  ...more,
})

export const frame = (head: unknown, pictures: readonly Uint8Array[] = []): Buffer =>
  Buffer.concat(frameOutcome({ head: Buffer.from(JSON.stringify(head)), pictures }))
