import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { TokenBucket } from '../../../concurrency/loops/token-bucket.ts'
import { deleteMonitor } from '../../../monitors/delete-monitor.ts'
import { editMonitor } from '../../../monitors/edit-monitor.ts'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import { pauseMonitor } from '../../../monitors/pause-monitor.ts'
import { createKubeClient } from '../../../operator/cluster/kube-client.ts'
import { createMirrorLoop } from '../../../operator/mirrors/mirror-loop.ts'
import type { CustomResource } from '../../../operator/reconcile/custom-resource.ts'
import { KINDS } from '../../../operator/reconcile/kinds.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import type { KubeApi } from '../../support/kubernetes/kube-api.ts'
import { describeWithApiServer, kubeAssets } from '../../support/kubernetes/kube-assets.ts'
import { eventually } from '../../support/run/eventually.ts'
import { KEY, operatorForEachTest, type OperatorSetup, TIMES } from '../operator-setup.ts'

const POLICY = new URL('../../../examples/operator/mirror-policy.yaml', import.meta.url).pathname
const MIRROR_OF = 'tidemark.dev/mirror-of'
const MERGE = 'application/merge-patch+json'
const labelsOf = ({ owner }: OperatorSetup) => ({ 'tidemark.dev/team': owner.teamId, 'tidemark.dev/mirror': 'true' })
const mirrors = { everyMs: 100, pageMs: 10, writes: { perSecond: 1_000, burst: 1_000 } }

describeWithApiServer('A namespace that mirrors the records of the API', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  let namespace: string
  operatorForEachTest((opened) => ({ kube, setup } = opened), { times: { ...TIMES, mirrors } })
  beforeEach(async () => {
    namespace = await setup.newNamespace(labelsOf(setup))
  })

  const listed = async (of = namespace): Promise<readonly CustomResource[]> =>
    (await kube.call('GET', `/apis/tidemark.dev/v1/namespaces/${of}/monitors`)).body.items
  const until = (holds: (all: readonly CustomResource[]) => boolean) => eventually(listed, holds)
  const hasStatus = (all: readonly CustomResource[]) =>
    all.length > 0 && all.every(({ metadata, status }) => status?.observedGeneration === metadata.generation)

  test('says once what the operator lacks where it may not write mirrors', async () => {
    await kube.kubectl('create', 'clusterrole', 'reads', '--verb=get,list,watch', '--resource=monitors.tidemark.dev')
    await kube.kubectl('create', 'serviceaccount', 'reader', '-n', 'default')
    await kube.kubectl(
      'create',
      'clusterrolebinding',
      'reads',
      '--clusterrole=reads',
      '--serviceaccount=default:reader',
    )
    const config = JSON.parse(await readFile(kube.kubeconfig, 'utf8'))
    config.users[0].user.token = (await kube.kubectl('create', 'token', 'reader', '-n', 'default')).trim()
    const file = join(setup.folder, 'reader')
    await writeFile(file, JSON.stringify(config))
    const client = createKubeClient(file)
    onTestFinished(() => client.close())
    await setup.stop()
    await setup.monitor(setup.owner)
    const said: string[] = []
    let faults = 0
    const [kind] = KINDS
    if (!kind) throw new Error('there is no kind')
    const loop = createMirrorLoop({
      kind,
      client: {
        ...client,
        call: (request) => (request.method === 'GET' ? client.call(request) : ((faults += 1), client.call(request))),
      },
      store: setup.store,
      secrets: createSecretBox(KEY),
      pace: new TokenBucket(mirrors.writes),
      namespaces: () => [{ metadata: { name: namespace, uid: '1', resourceVersion: '1', labels: labelsOf(setup) } }],
      mirrors: () => [],
      learn: () => {},
      defaultTeam: null,
      times: mirrors,
      log: { warn: (...args: readonly unknown[]) => void said.push(String(args.at(-1))) },
    })
    onTestFinished(() => loop.stop())
    loop.start()
    await eventually(
      () => faults,
      (tries) => tries > 1,
      { forMs: 20_000 },
    )
    expect(said).toEqual([
      `the operator may not write the mirrors of the namespace ${namespace}: set operator.mirrors=true in the values ` +
        'of the chart, or remove its label tidemark.dev/mirror and delete them: kubectl delete monitors,serpmonitors ' +
        `-n ${namespace} -l tidemark.dev/mirror-of`,
    ])
  })

  test('shows them with their state, without the values of secrets', async () => {
    const record = await setup.monitor(setup.owner, {
      name: 'Fjord prices',
      request_headers: { Authorization: 'Bearer hunter2' },
      deliveries: [{ type: 'slack', webhookUrl: 'https://hooks.slack.com/services/hunter2' }],
    })
    await setup.monitor(await setup.person('scale'), { name: 'of another team' })
    const [mirror, ...others] = await until(hasStatus)
    expect(others).toEqual([])
    expect(mirror?.metadata).toMatchObject({
      name: `fjord-prices-${record.id.slice(0, 8)}`,
      labels: { [MIRROR_OF]: record.id },
    })
    expect(mirror?.metadata.finalizers).toBeUndefined()
    expect(mirror?.spec).toMatchObject({ url: record.url, scheduleIntervalSeconds: 600, suspend: false })
    expect(mirror?.status).toMatchObject({ id: record.id, address: 'example.com/prices' })
    expect(JSON.stringify(mirror)).not.toContain('hunter2')
    expect(await kube.kubectl('get', 'mon', '-n', namespace)).toMatch(/fjord-prices-\w+ +True +Unknown/)
    // It declares nothing.
    expect(await setup.stored(record.id)).toMatchObject({ managed_by: 'api' })
    expect(await listed(setup.namespace)).toEqual([])
  })

  test('follows changes of a record, and writes nothing while there are none', async () => {
    const { id } = await setup.monitor(setup.owner)
    const [before] = await until(hasStatus)
    await editMonitor(setup.context, PAGE, { ...setup.owner, id, patch: { schedule_interval_seconds: 900 } })
    await until(([now]) => now?.spec['scheduleIntervalSeconds'] === 900)
    await pauseMonitor(setup.context, PAGE, { ...setup.owner, id })
    await until(([now]) => now?.spec.suspend === true && hasStatus([now]))
    await editMonitor(setup.context, PAGE, { ...setup.owner, id, patch: { name: 'Renamed' } })
    const [renamed] = await until(
      (all) => all.length === 1 && all[0]?.metadata.name.startsWith('renamed-') === true && hasStatus(all),
    )
    expect(renamed?.metadata.uid).not.toBe(before?.metadata.uid)
    const other = await setup.monitor(setup.owner)
    await until((all) => all.length === 2 && hasStatus(all))
    await deleteMonitor(setup.context, PAGE, { ...setup.owner, id: other.id })
    const [after] = await until((all) => all.length === 1)
    expect(after?.metadata.resourceVersion).toBe(renamed?.metadata.resourceVersion)
  })

  test('puts an edit right, and makes one again that somebody deleted', async () => {
    const { id } = await setup.monitor(setup.owner)
    const [before] = await until(hasStatus)
    const path = setup.path(before?.metadata.name ?? '', namespace)
    await kube.call('PATCH', path, { spec: { scheduleIntervalSeconds: 60 } }, MERGE)
    await until(([now]) => now?.spec['scheduleIntervalSeconds'] === 600 && hasStatus([now]))
    expect((await kube.call('DELETE', path)).status).toBe(200)
    const [after] = await until((all) => hasStatus(all) && all[0]?.metadata.uid !== before?.metadata.uid)
    expect(after?.status?.id).toBe(id)
    expect(await setup.stored(id)).toMatchObject({ managed_by: 'api', schedule_interval_seconds: 600 })
  })

  test('makes one again that lost its label, and no second record of it', async () => {
    const { id } = await setup.monitor(setup.owner, { deliveries: [] })
    const [before] = await until(hasStatus)
    await kube.kubectl('label', 'monitor', before?.metadata.name ?? '', '-n', namespace, `${MIRROR_OF}-`)
    const [after] = await until(
      (all) => hasStatus(all) && all.every(({ metadata }) => metadata.labels?.[MIRROR_OF] === id),
    )
    expect(after?.metadata.finalizers).toBeUndefined()
    expect(after?.status?.id).toBe(id)
    expect(await setup.monitors()).toHaveLength(1)
  })

  test('loses them with the record, with its adoption, and with the label', async () => {
    const [gone, adopted] = [await setup.monitor(setup.owner), await setup.monitor(setup.owner)]
    const kept = await setup.monitor(setup.owner)
    await until((all) => all.length === 3 && hasStatus(all))
    await deleteMonitor(setup.context, PAGE, { ...setup.owner, id: gone.id })
    await setup.apply('kettle', {}, { 'tidemark.dev/adopt': adopted.id })
    await until((all) => all.length === 1 && all[0]?.status?.id === kept.id)
    await kube.kubectl('label', 'namespace', namespace, 'tidemark.dev/mirror-')
    await until((all) => all.length === 0)
    expect(await setup.monitors()).toHaveLength(2)
  })

  test('never deletes a resource that somebody else made, whatever its labels and annotations', async () => {
    const { id } = await setup.monitor(setup.owner)
    const [mirror] = await until(hasStatus)
    const name = mirror?.metadata.name ?? ''
    // A copy of a mirror, as `kubectl get -o yaml` shows it, under another name and in another namespace.
    const { labels, annotations } = mirror?.metadata ?? {}
    const spec = { ...mirror?.spec, url: 'https://example.com/mine' }
    const copies = [
      ['copied', namespace],
      ['copied', setup.namespace],
    ] as const
    const mine = [...copies, ['labelled', namespace] as const]
    for (const [of, at] of copies)
      await kube.call('POST', setup.path('', at).slice(0, -1), {
        apiVersion: 'tidemark.dev/v1',
        kind: 'Monitor',
        metadata: { name: of, labels, annotations },
        spec,
      })
    await setup.apply('labelled', {}, {}, namespace)
    await kube.kubectl('label', 'monitor', 'labelled', '-n', namespace, `${MIRROR_OF}=${id}`)
    for (const [of, at] of mine) await setup.until(of, 'Ready', 'Scheduled', at)
    const made = await Promise.all(mine.map(([of, at]) => setup.read(of, at)))
    // A whole sweep passes, in which the label of the namespace takes its own mirrors away, and those alone.
    await setup.restart()
    await kube.kubectl('label', 'namespace', namespace, 'tidemark.dev/mirror-')
    await until((all) => all.every(({ metadata }) => metadata.name !== name))
    const left = await Promise.all(mine.map(([of, at]) => setup.read(of, at)))
    expect(left.map(({ metadata }) => metadata.uid)).toEqual(made.map(({ metadata }) => metadata.uid))
    expect(left.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined, undefined])
    expect(await setup.stored(id)).toMatchObject({ managed_by: 'api' })
    // One record of the API, and one for each resource.
    expect(await setup.monitors()).toHaveLength(4)
  })

  test('is written at a bounded pace', async () => {
    for (let n = 0; n < 60; n += 1) await setup.monitor(setup.owner, { name: `Price ${n}` })
    await until((all) => all.length === 60 && hasStatus(all))
    await setup.restart({ times: { ...TIMES, mirrors: { ...mirrors, writes: { perSecond: 20, burst: 10 } } } })
    const began = performance.now()
    await kube.kubectl('delete', 'monitors', '--all', '-n', namespace)
    await until((all) => all.length === 60 && hasStatus(all))
    // 60 are created, and 60 statuses are written.
    expect(performance.now() - began).toBeGreaterThan((120 - 10) * (1_000 / 20) * 0.9)
  })

  test('admits no edit by others through its policy, and admits deletions', async () => {
    const { id } = await setup.monitor(setup.owner)
    const [mirror] = await until(hasStatus)
    const name = mirror?.metadata.name ?? ''
    await kube.kubectl('apply', '-f', POLICY)
    const person = await somebody()
    const patch = (body: object) => person('patch', 'monitor', name, '--type', 'merge', '-p', JSON.stringify(body))
    const edit = { spec: { scheduleIntervalSeconds: 60 } }
    // The API server takes a new policy a moment later.
    const refusal = await eventually(
      () => patch(edit),
      (said) => said.includes('mirrors a monitor of the API'),
    )
    expect(refusal).toContain('ValidatingAdmissionPolicy')
    expect(await patch({ metadata: { labels: { [MIRROR_OF]: null } } })).toContain('mirrors a monitor of the API')
    const status = ['--subresource', 'status']
    expect(
      await person('patch', 'monitor', name, ...status, '--type', 'merge', '-p', '{"status":{"id":null}}'),
    ).toContain('mirrors a monitor of the API')
    await setup.apply('own', {}, {}, namespace)
    const label = `${MIRROR_OF}=${id}`
    expect(await person('label', 'monitor', 'own', label)).toContain('mirrors a monitor of the API')
    expect(await person('label', 'monitor', 'own', 'other=label')).toContain('labeled')
    expect(await person('delete', 'monitor', name)).toContain('deleted')
    await until((all) => all.some(({ metadata }) => metadata.name === name && metadata.uid !== mirror?.metadata.uid))
    expect(await setup.stored(id)).not.toBeNull()
    // The operator itself is admitted.
    await editMonitor(setup.context, PAGE, { ...setup.owner, id, patch: { schedule_interval_seconds: 900 } })
    await until((all) =>
      all.some(({ spec, metadata }) => metadata.name === name && spec['scheduleIntervalSeconds'] === 900),
    )
  })

  /** Returns kubectl as somebody who may do everything with monitors in the namespace. */
  async function somebody() {
    const resources = 'monitors.tidemark.dev,monitors.tidemark.dev/status'
    await kube.kubectl('create', 'serviceaccount', 'ada', '-n', namespace)
    await kube.kubectl('create', 'role', 'ada', '-n', namespace, '--verb', '*', '--resource', resources)
    await kube.kubectl(
      'create',
      'rolebinding',
      'ada',
      '-n',
      namespace,
      '--role',
      'ada',
      '--serviceaccount',
      `${namespace}:ada`,
    )
    const token = await kube.kubectl('create', 'token', 'ada', '-n', namespace)
    const config = JSON.parse(await readFile(kube.kubeconfig, 'utf8'))
    config.users[0].user.token = token.trim()
    config.contexts[0].context.namespace = namespace
    const file = join(setup.folder, 'ada')
    await writeFile(file, JSON.stringify(config))
    return async (...args: string[]): Promise<string> => {
      const options = ['--kubeconfig', file, '--cache-dir', join(setup.folder, 'cache')]
      const said = promisify(execFile)(join(kubeAssets() ?? '', 'kubectl'), [...options, ...args])
      return said.then(
        ({ stdout }) => stdout,
        (error: { stderr: string }) => error.stderr,
      )
    }
  }
})
