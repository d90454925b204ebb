import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openSite, type Site, status } from '../support/network/site.ts'
import { type CliProcess, startCli } from '../support/process/cli-process.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { openReceiver, type Receiver, reply } from '../support/worker/receiver.ts'
import { verifier } from '../support/worker/signature-verifier.ts'

const FOLDER = join(process.env['TIDEMARK_SHARED'] ?? '', 'serp-fixtures')
const ADVICE = 'set TIDEMARK_SHARED to the folder with the saved pages'
const CRDS = new URL('../../crds/', import.meta.url).pathname
/** Two saved pages of one engine. */
const PAGES = ['bing-2026-sang', 'bing-2025-noads'] as const
const PATIENCE = { forMs: 60_000 }

interface Run {
  readonly id: string
  readonly status: string
  readonly delivery_triggered: boolean
  readonly target_rank: number | null
  readonly organic_results: readonly { readonly position: number; readonly domain: string; readonly title: string }[]
}

describeIf(existsSync(FOLDER), ADVICE)('A program that is started with saved pages in place of an engine', () => {
  let database: TestDatabase
  let site: Site
  let serve: CliProcess
  let environment: Record<string, string>
  let base: string
  let key: string
  let served: (typeof PAGES)[number] = PAGES[0]
  beforeAll(async () => {
    database = await createEmptyDatabase()
    site = await openSite({ otherwise: status(404) })
    const html = Object.fromEntries(
      await Promise.all(PAGES.map(async (name) => [name, await readFile(join(FOLDER, `${name}.html`))] as const)),
    )
    site.page('/search', (response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html[served])
    })
    environment = {
      DATABASE_URL: database.url,
      TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test',
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_SERP_ENDPOINTS: JSON.stringify({ bing: site.origin }),
      TIDEMARK_SERP_SPACING_MS: '0',
    }
    serve = startCli(['serve'], { ...environment, PORT: '0' })
    const [, address = '', apiKey = ''] = await serve.says(/running at (\S+)\n[\s\S]*API key\s+(svc_\w+)/)
    base = address
    key = apiKey
  })
  afterAll(async () => {
    serve?.signal('SIGTERM')
    await serve?.exited
    await site?.[Symbol.asyncDispose]()
    await database?.drop()
  })

  async function ask<T>(path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${base}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text) as T
  }
  const newest = async (id: string, count: number): Promise<Run> => {
    const { data } = await eventually(
      () => ask<{ data: Run[] }>(`/v1/serp-monitors/${id}/runs`),
      (list) => list.data.length === count && list.data[0]?.status !== 'running',
      PATIENCE,
    )
    const [run] = data
    if (!run) throw new Error('no run')
    return run
  }
  const received = async (hook: Receiver) => {
    const [request] = await eventually(
      () => hook.requests,
      (all) => all.length > 0,
      PATIENCE,
    )
    if (!request) throw new Error('no request')
    return request
  }

  test('tells by a signed webhook that the target of a SERP monitor left the results', async () => {
    served = PAGES[0]
    await using hook = await openReceiver(reply(204))
    const search = { name: 'Rank', keyword: 'sang', engine: 'bing', schedule_interval_seconds: 3600 }
    const trial = await ask<{ id: string }>('/v1/serp-monitors', { ...search, mode: 'full_analysis' })
    const first = await newest(trial.id, 1)
    expect(first).toMatchObject({ status: 'success', delivery_triggered: false, target_rank: null })
    const second = first.organic_results.find(({ position }) => position === 2)
    const target_domain = second?.domain ?? ''
    const { id } = await ask<{ id: string }>('/v1/serp-monitors', {
      ...search,
      target_domain,
      deliveries: [{ type: 'webhook', url: hook.url }],
    })
    const baseline = await newest(id, 1)
    expect(baseline).toMatchObject({ status: 'success', delivery_triggered: false })
    expect(baseline.target_rank).toBeLessThanOrEqual(2)

    served = PAGES[1]
    await ask(`/v1/serp-monitors/${id}/run`, {})
    const run = await newest(id, 2)
    expect(run).toMatchObject({ status: 'success', delivery_triggered: true, target_rank: null })
    const request = await received(hook)
    const seen = await ask<object>('/v1/serp-monitors/preview', { keyword: 'sang', engine: 'bing', target_domain })
    expect(seen).toMatchObject({ status: 'success', organic_results: run.organic_results, target_rank: null })
    const { secret } = await ask<{ secret: string }>(`/v1/serp-monitors/${id}/signing-secret`)
    const body = request.body.toString('utf8')
    const header = request.headers.get('service-signature') ?? ''
    expect(verifier?.verifyHeader(body, header, secret, 300)).toBe(true)
    expect(JSON.parse(body)).toMatchObject({
      monitor_id: id,
      run_id: run.id,
      diff: { fields_changed: [], before: {}, after: {} },
      monitor: { name: 'Rank', url: expect.stringMatching(/^https:\/\/www\.bing\.com\/search\?q=sang&/) },
      serp: { keyword: 'sang', target_domain, rank: null, previous_rank: baseline.target_rank, rank_delta: null },
    })
  }, 120_000)

  describeWithApiServer('with an operator', () => {
    let kube: KubeApi
    let folder: string
    beforeAll(async () => {
      kube = await startKubeApi()
      await kube.applyCrds(CRDS)
      folder = await mkdtemp(join(tmpdir(), 'tidemark-searches-'))
    })
    afterAll(async () => {
      await kube?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    test('does what kubectl applies, and tells a change of the list of results by a webhook', async () => {
      served = PAGES[0]
      await using hook = await openReceiver(reply(204))
      const { id: team } = await ask<{ id: string }>('/v1/team')
      const operator = startCli(['operator', '--default-team', team], { ...environment, KUBECONFIG: kube.kubeconfig })
      try {
        await operator.says(/watching the resources of/)
        const file = join(folder, 'search.yaml')
        const manifest = {
          apiVersion: 'tidemark.dev/v1',
          kind: 'SerpMonitor',
          metadata: { name: 'sang', namespace: 'default' },
          spec: {
            name: 'List',
            keyword: 'sang',
            engine: 'bing',
            mode: 'full_analysis',
            scheduleIntervalSeconds: 3600,
            deliveries: [{ type: 'webhook', url: hook.url }],
          },
        }
        await writeFile(file, JSON.stringify(manifest))
        await kube.kubectl('apply', '-f', file)
        await kube.kubectl('wait', '--for=condition=Ready', '--timeout=30s', 'serpmonitor/sang')
        const id = (await kube.kubectl('get', 'serp', 'sang', '--output=jsonpath={.status.id}')).trim()
        expect(await newest(id, 1)).toMatchObject({ status: 'success', delivery_triggered: false })
        served = PAGES[1]
        await kube.kubectl('annotate', 'serpmonitor', 'sang', 'tidemark.dev/run-requested-at=now')
        const run = await newest(id, 2)
        expect(run).toMatchObject({ status: 'success', delivery_triggered: true })
        const { serp_analysis: block } = JSON.parse((await received(hook)).body.toString('utf8')) as {
          serp_analysis: { results: { title: string }[]; previous_results: { title: string }[] }
        }
        expect(block.results.map(({ title }) => title)).toEqual(run.organic_results.map(({ title }) => title))
        expect(block.previous_results.length).toBeGreaterThan(0)
        const table = await eventually(
          () => kube.kubectl('get', 'serp', 'sang'),
          (text) => /sang +True +True +sang +bing/.test(text),
          PATIENCE,
        )
        expect(table).toMatch(/^NAME +READY +HEALTHY +KEYWORD/)
        const path = '/apis/tidemark.dev/v1/namespaces/default/serpmonitors/sang'
        const { body } = await eventually(
          () => kube.call('GET', path),
          (found) => found.body.status.lastChange !== undefined,
          PATIENCE,
        )
        expect(body.status).toMatchObject({
          lastChange: { runId: run.id, fields: [{ name: 'results' }] },
          values: { results: String(run.organic_results.length) },
        })
      } finally {
        operator.signal('SIGTERM')
        await operator.exited
      }
    }, 120_000)
  })
})
