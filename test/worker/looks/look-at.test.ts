import { sql } from 'slonik'
import Type from 'typebox'
import { Dispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { lookAtPage } from '../../../monitors/looks/look-at-page.ts'
import { BROWSER_DIED, CRASHED } from '../../../runners/browser/browser-faults.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'
import type { LookRequest } from '../../../schema/monitor/look.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import type { AskedWork } from '../../../store/asked/asked-work.ts'
import { row } from '../../../store/db/row.ts'
import { lookAt } from '../../../worker/looks/look-at.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { NEVER } from '../../support/browser/test-browsers.ts'
import { html, openSite, type Site } from '../../support/network/site.ts'

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
const agent = createGuardedAgent(egress)
/** Its requests fail through an error that nobody expects. */
class BrokenAgent extends Dispatcher {
  override dispatch(): boolean {
    throw new Error('a bug')
  }
}
const broken = new BrokenAgent()
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()
let site: Site
let api: TestApi
beforeAll(async () => {
  site = await openSite({ otherwise: html('<p>The page') })
  api = await createTestApi()
})
afterAll(async () => {
  await Promise.all([agent.destroy(), extractor.close(), pages.close(), api.close(), site[Symbol.asyncDispose]()])
})

interface Given {
  readonly agent: Dispatcher
  /** Of the browser. Null: there is none. */
  readonly fault: RunFault | null
  readonly status?: number
}

const usage = row({ runs_used: Type.Number() })

/** Looks at the page, and returns what the team has used, and what it is told. */
async function looked({ fault, status, ...given }: Given, asked: object = {}) {
  const { store, secrets } = api.services
  const { team_id: teamId } = await api.owner()
  const render: Browsers['render'] = async () => ({
    ...{ ok: false, fault: fault ?? CRASHED(null), status: status ?? null, retryAfterMs: null, durationMs: 1 },
  })
  const ports = { ...given, extractor, pages, signal: NEVER, browser: fault === null ? undefined : { render } }
  const slot = { wait: () => {}, leave: () => {} }
  const look = (work: AskedWork, request: LookRequest) => lookAt(request, { ports, work, slot, runners: undefined })
  const previews = { enter: () => ({ kind: 'place' as const, look, leave: slot.leave }) }
  const wanted = { teamId, asked: { url: site.url, ...asked } }
  const outcome = await lookAtPage({ store, secrets, objects: undefined, previews, extractor }, wanted)
  if (outcome.kind !== 'done') throw new Error(outcome.kind)
  const { runs_used: runs } = await store.one(
    sql.type(usage)`select runs_used from team_usage where team_id = ${teamId}::uuid`,
  )
  return { runs, hasWarning: outcome.look.warnings.some((warning) => warning.includes('used no run')) }
}

const PAID = { runs: 1, hasWarning: false }
const FREE = { runs: 0, hasWarning: true }

describe('a look uses its run', () => {
  test('when the page answers a direct request, whatever it does to the browser', async () => {
    expect(await looked({ agent, fault: BROWSER_DIED })).toEqual(PAID)
    expect(await looked({ agent, fault: null })).toEqual(PAID)
  })

  test('when the page fails by itself, whatever the other half does', async () => {
    const closed = { url: site.page('/closed', (response) => void response.socket?.destroy()) }
    expect(await looked({ agent, fault: BROWSER_DIED }, closed)).toEqual(PAID)
    expect(await looked({ agent: broken, fault: CRASHED(null) })).toEqual(PAID)
  })

  test('when the browser had an answer of the page before it ended', async () => {
    expect(await looked({ agent: broken, fault: BROWSER_DIED, status: 200 })).toEqual(PAID)
  })
})

describe('a look uses no run', () => {
  test('when both halves fail because of the installation, and nothing came', async () => {
    expect(await looked({ agent: broken, fault: BROWSER_DIED })).toEqual(FREE)
    expect(await looked({ agent: broken, fault: { code: 'internal', message: 'A bug.' } })).toEqual(FREE)
    expect(await looked({ agent: broken, fault: null })).toEqual(FREE)
  })

  test('when the only half of a direct request does', async () => {
    expect(await looked({ agent: broken, fault: BROWSER_DIED }, { request_config: { method: 'POST' } })).toEqual(FREE)
  })
})
