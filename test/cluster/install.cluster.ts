import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/network/free-port.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { verifier } from '../support/worker/signature-verifier.ts'
import { apply, describeInCluster, helm, inTime, kubectl, list, read } from './kubectl.ts'
import {
  allReady,
  condition,
  monitorOf,
  NAMESPACE,
  openRelease,
  paste,
  type Release,
  ROOT,
  shellBlocks,
  SHORT_LEASE_SECONDS,
  shortenLeases,
  upgrade,
} from './release.ts'
import { openSite, type Site } from './site.ts'

describeInCluster('A release that was installed by the page of the docs', () => {
  let site: Site
  let release: Release
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let id = ''
  /** The steps of the quickstart: its change comes with the schedule, which other tests need not wait for. */
  let steps: Promise<() => string>

  beforeAll(async () => {
    folder = await temporaryFolder()
    site = await openSite()
    release = await openRelease(site, '--set=runner.max=0')
    steps = followQuickstart().then(
      (log) => () => log,
      (error: unknown) => () => {
        throw error
      },
    )
  })
  afterAll(async () => {
    await folder[Symbol.asyncDispose]()
  })

  /** The examples, with a page and a receiver of the test in place of a page of the internet. */
  async function applyExamples(): Promise<void> {
    const examples = join(folder.path, 'examples')
    await mkdir(examples, { recursive: true })
    const read_ = (name: string) => readFile(join(ROOT, 'examples', name), 'utf8')
    const monitor = (await read_('monitor.yaml'))
      .replace('https://example.com/', `${site.url}/static/shop`)
      .replace('title: h1', 'title: .price')
    const deliveries = `  deliveries:\n    - type: webhook\n      url: ${site.url}/hook/shop\n`
    await writeFile(join(examples, 'monitor.yaml'), monitor + deliveries)
    await writeFile(join(examples, 'serp-monitor.yaml'), await read_('serp-monitor.yaml'))
    await kubectl('-n', NAMESPACE, 'apply', '-f', examples)
  }

  /** Does what the quickstart says, and returns the log of its page. */
  async function followQuickstart(): Promise<string> {
    const [start = '', forward = '', change = ''] = (await shellBlocks('docs/quickstart.md', 'Kubernetes')).slice(2, 5)
    await paste(start)
    const port = await freePort()
    // An upgrade may have ended the pod by then, and the forwarding with it.
    await paste(`${forward.trim().replace('8080:', `${port}:`)} >/dev/null & trap "kill $! || true" EXIT
      until curl -sf http://127.0.0.1:${port}/healthz; do sleep 0.2; done
      ${change.replace('127.0.0.1:8080', `127.0.0.1:${port}`)}`)
    return inTime(pageLog, (text) => text.includes('received'))
  }

  /** Returns what the page of the quickstart logged; nothing while it has not started. */
  const pageLog = () => kubectl('-n', NAMESPACE, 'logs', 'changing-page').catch(() => '')

  test('runs all its pods within the profile restricted', async () => {
    const isRunner = (labels: Record<string, string>) => labels['app.kubernetes.io/component'] === 'runner'
    const pods = (await list('-n', NAMESPACE, 'pods')).filter(({ metadata }) => !isRunner(metadata.labels))
    const names = new Set(pods.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']))
    expect(names).toEqual(new Set(['api', 'operator', 'postgres', 'setup', 'worker']))
    for (const { metadata, status } of pods)
      expect(status.phase, metadata.name).toBe(
        metadata.labels['app.kubernetes.io/component'] === 'setup' ? 'Succeeded' : 'Running',
      )
  })

  test('brings resources to Ready, and the one whose page answers to Healthy', async () => {
    await site.price('shop', '$1')
    await applyExamples()
    const monitor = await condition('monitor', 'example-title', 'Healthy', 'True')
    expect(monitor.status.values).toEqual({ title: '$1' })
    await condition('monitor', 'example-title', 'Ready', 'True')
    await condition('serpmonitor', 'kettle-rank', 'Ready', 'True')
    id = monitor.status.id
    expect((await release.api('GET', `/v1/monitors/${id}`)).status).toBe(200)
  })

  test('delivers a change as a signed webhook', async () => {
    await site.price('shop', '$2')
    await kubectl('-n', NAMESPACE, 'annotate', 'monitor', 'example-title', 'tidemark.dev/run-requested-at=once')
    const [arrival] = await inTime(
      () => site.arrivals('shop'),
      (seen) => seen.length > 0,
    )
    if (!arrival) throw new Error('no webhook')
    const answer = await release.api('GET', `/v1/monitors/${id}/signing-secret`)
    const { secret } = JSON.parse(answer.body) as { secret: string }
    expect(verifier?.verifyHeader(arrival.body, arrival.headers['service-signature'] ?? '', secret, 300)).toBe(true)
    expect(JSON.parse(arrival.body)).toMatchObject({ diff: { before: { title: '$1' }, after: { title: '$2' } } })
    const changed = await inTime(
      () => read('-n', NAMESPACE, 'monitor', 'example-title'),
      (seen) => seen.status.lastChange !== undefined,
    )
    expect(changed.status.lastChange.fields).toEqual([{ name: 'title', before: '$1', after: '$2' }])
  })

  test('passes helm test', async () => {
    expect(await helm('test', 'tidemark', '-n', NAMESPACE)).toContain('Succeeded')
  })

  test('is reached with the owner’s key through the forwarded port of the page', async () => {
    const [, lines = ''] = await shellBlocks('docs/kubernetes-install.md')
    const [password = '', key = '', forward = ''] = lines.trim().split('\n')
    expect((await paste(password)).trim().length).toBeGreaterThan(10)
    // Another program of this machine may have the port of the page.
    const port = await freePort()
    const shell = `set -e; KEY=$(${key.replace('; echo', '')})
      ${forward.replace('8080:', `${port}:`)} >/dev/null & trap "kill $!" EXIT
      until curl -sf http://127.0.0.1:${port}/healthz; do sleep 0.2; done
      curl -s http://127.0.0.1:${port}/v1/monitors -H "Authorization: Bearer $KEY"`
    expect(await paste(shell)).toContain('Title of the example page')
  })

  test('deletes the record with its resource', async () => {
    await kubectl('-n', NAMESPACE, 'delete', 'monitor', 'example-title', '--timeout=60s')
    expect((await release.api('GET', `/v1/monitors/${id}`)).status).toBe(404)
  })

  test('says of what needs a browser that there is none, while it may have no runner pods', async () => {
    const answer = await release.api('POST', '/v1/monitors', {
      name: 'alone',
      url: `${site.url}/rendered/alone`,
      fetch_mode: 'browser',
      isolation: 'pod',
      schedule_interval_seconds: 86_400,
      extract_config: { method: 'css', fields: { price: '.price' } },
      diff_predicate: { type: 'any_field_changes' },
    })
    expect(answer.status, answer.body).toBe(422)
    expect(answer.body).toContain('runner pods')
    await apply(monitorOf('waits', `${site.url}/rendered/waits`, { fetchMode: 'browser' }))
    await condition('monitor', 'waits', 'Ready', 'True')
    await condition('monitor', 'waits', 'Healthy', 'Unknown')
  })

  test('does what waited for a browser once an upgrade lets it have runner pods', async () => {
    // The steps of the quickstart need their forwarded port until the price is changed, and an upgrade ends its pod.
    await Promise.race([steps, inTime(pageLog, (text) => text.includes('changed:'))])
    await upgrade('--set=runner.max=3')
    await allReady()
    expect((await condition('monitor', 'waits', 'Healthy', 'True')).status.values).toEqual({ price: '$1' })
  })

  test('goes on through an upgrade that changes the settings of all its pods', async () => {
    await applyExamples()
    const before = (await condition('monitor', 'example-title', 'Healthy', 'True')).status.id
    await shortenLeases(site)
    const { spec } = await read('-n', NAMESPACE, 'deployment', 'tidemark-worker')
    const lease = { name: 'TIDEMARK_LEASE_SECONDS', value: String(SHORT_LEASE_SECONDS) }
    expect(spec.template.spec.containers[0].env).toContainEqual(lease)
    const visits = await site.visits('shop')
    const annotation = 'tidemark.dev/run-requested-at=again'
    await kubectl('-n', NAMESPACE, 'annotate', '--overwrite', 'monitor', 'example-title', annotation)
    await inTime(
      () => site.visits('shop'),
      (seen) => seen > visits,
    )
    expect((await condition('monitor', 'example-title', 'Healthy', 'True')).status.id).toBe(before)
  })

  test('is as it was after an upgrade that the API server refused', async () => {
    const labels = { 'not a label': '1' }
    const refused = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'refused', labels } }]
    const options = ['--atomic', '--timeout=180s', '--set=owner.email=other@tidemark.local']
    const failed = upgrade(...options, '--set-json', `extraObjects=${JSON.stringify(refused)}`)
    await expect(failed).rejects.toThrow(/has been rolled back due to (?:atomic|rollback-on-failure)/)
    await allReady()
    const { spec } = await inTime(
      () => read('-n', NAMESPACE, 'job', 'tidemark-setup'),
      (job) => job?.status?.succeeded === 1,
    )
    expect(JSON.stringify(spec)).not.toContain('other@tidemark.local')
    expect((await condition('monitor', 'example-title', 'Healthy', 'True')).status.id).toBeDefined()
  })

  test('does what the quickstart says: a page in a pod, a monitor, a change, and a verified webhook', async () => {
    const log = (await steps)()
    expect(log).toContain('received, verified:')
    expect(log).toContain('"price": "$17.49"')
  })
})
