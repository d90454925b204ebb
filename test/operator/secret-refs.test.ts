import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import { createKubeClient } from '../../operator/cluster/kube-client.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer, kubeAssets } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { createFaultyKube } from './cluster/faulty-kube.ts'
import { KEY, operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

const RBAC = new URL('../../examples/operator/operator-rbac.yaml', import.meta.url).pathname
const times = { ...TIMES, secretMs: 200 }
const deliveries = [{ type: 'slack', webhookUrlFrom: { secretKeyRef: { name: 'chat', key: 'webhook' } } }]
const requestHeadersFrom = [{ name: 'Authorization', secretKeyRef: { name: 'chat', key: 'token' } }]
const HOOK = 'https://hooks.slack.com/services/T/B/'

describeWithApiServer('A resource that reads a Secret', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened), { times })

  const secret = (data: Record<string, string>) =>
    kube.call(
      'PATCH',
      `/api/v1/namespaces/${setup.namespace}/secrets/chat?fieldManager=test&force=true`,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'chat', labels: { 'tidemark.dev/monitors': 'true' } },
        data: mapped(data),
      },
      'application/apply-patch+yaml',
    )
  const mapped = (data: Record<string, string>) =>
    Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'latin1').toString('base64')]))
  const delivered = async (id: string | undefined) => {
    const { deliveries: sealed } = (await setup.stored(id)) ?? {}
    const at = { teamId: setup.owner.teamId, column: 'monitors.deliveries', rowId: id ?? '' } as const
    return createSecretBox(KEY).open(at, sealed ?? Buffer.of())
  }
  const message = async (reason: string) =>
    setup.condition(await setup.until('kettle', 'Ready', reason), 'Ready')?.message

  test('follows the Secret: missing, without the key, there, rotated, deleted', async () => {
    await setup.apply('kettle', { deliveries })
    expect(await message('SecretMissing')).toBe(`There is no Secret chat in the namespace ${setup.namespace}.`)
    await secret({ other: 'x' })
    await eventually(
      () => message('SecretMissing'),
      (text) => text === 'The Secret chat has no key webhook.',
    )
    await secret({ webhook: `${HOOK}one\n` })
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    expect(await delivered(status?.id)).toEqual([{ type: 'slack', webhookUrl: `${HOOK}one` }])
    await secret({ webhook: `${HOOK}two` })
    await eventually(
      () => delivered(status?.id),
      (now) => JSON.stringify(now).includes('two'),
    )
    await kube.call('DELETE', `/api/v1/namespaces/${setup.namespace}/secrets/chat`)
    await setup.until('kettle', 'Ready', 'SecretMissing')
    // What was accepted goes on.
    expect(await delivered(status?.id)).toEqual([{ type: 'slack', webhookUrl: `${HOOK}two` }])
  })

  test('says that there is no Secret where its name can be of none, and asks for nothing', async () => {
    await setup.stop()
    await using faulty = await createFaultyKube(kube, setup.folder)
    const client = createKubeClient(faulty.kubeconfig)
    onTestFinished(() => client.close())
    const operator = await setup.start({ client })
    await operator.leading
    for (const [index, name] of ['..', '.', '%2e%2e', 'a/b', 'Chat'].entries()) {
      const from = { secretKeyRef: { name, key: 'webhook' } }
      await setup.apply(`odd-${index}`, { deliveries: [{ type: 'slack', webhookUrlFrom: from }] })
      const refused = await setup.until(`odd-${index}`, 'Ready', 'SecretMissing')
      expect(setup.condition(refused, 'Ready')?.message).toBe(
        `There is no Secret ${name} in the namespace ${setup.namespace}.`,
      )
    }
    expect(faulty.seen.filter((what) => /secrets|GET .*namespaces\/shop[^/]*\/?$/.test(what))).toEqual([])
    await operator.stop()
  })

  test('asks for a Secret once for all that read it, and for many Secrets at a bounded pace', async () => {
    await setup.stop()
    for (let n = 0; n < 10; n += 1) await setup.apply(`same-${n}`, { deliveries })
    const from = (n: number) => ({ secretKeyRef: { name: `chat-${n}`, key: 'webhook' } })
    for (let n = 0; n < 120; n += 1)
      await setup.apply(`own-${n}`, { deliveries: [{ type: 'slack', webhookUrlFrom: from(n) }] })
    await using faulty = await createFaultyKube(kube, setup.folder)
    const client = createKubeClient(faulty.kubeconfig)
    onTestFinished(() => client.close())
    const began = performance.now()
    const election = { leaseMs: 15_000, renewMs: 10_000, everyMs: 50 }
    const operator = await setup.start({ client, times: { ...TIMES, election } })
    const reads = () => faulty.seen.filter((what) => /^GET .*\/secrets\//.test(what))
    await eventually(
      () => new Set(reads()).size,
      (found) => found === 121,
      { forMs: 40_000 },
    )
    expect(reads()).toHaveLength(121)
    expect(reads().length).toBeLessThanOrEqual(100 + (10 * (performance.now() - began)) / 1_000)
    await setup.until('own-119', 'Ready', 'SecretMissing')
    await operator.stop()
    // The operators of the other tests would look at them again and again.
    await kube.kubectl('delete', 'monitors', '--all', '-n', setup.namespace)
  })

  test('says that a value is nonsense without showing it, and goes on with the one before', async () => {
    await secret({ webhook: `${HOOK}one`, token: 'Bearer 1' })
    await setup.apply('kettle', { deliveries, requestHeadersFrom })
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    for (const [webhook, token, path] of [
      ['hunter2-is-no-address', 'Bearer 1', 'spec.deliveries[0].webhookUrl'],
      [`${HOOK}one`, 'hunter2\u0000', 'spec.requestHeaders'],
      [`${HOOK}one`, 'hunter2\nX-Evil: 1', 'spec.requestHeaders'],
      ['', 'Bearer 1', 'spec.deliveries[0].webhookUrl'],
      ['\u00ff\u00fehunter2', 'Bearer 1', 'spec.deliveries[0].webhookUrl'],
    ] as const) {
      await secret({ webhook, token })
      const text = await eventually(
        () => message('Invalid'),
        (found) => found?.includes(path) === true,
      )
      expect(text).not.toContain('hunter2')
      expect(await delivered(status?.id)).toEqual([{ type: 'slack', webhookUrl: `${HOOK}one` }])
      await secret({ webhook: `${HOOK}one`, token: 'Bearer 1' })
      await setup.until('kettle', 'Ready', 'Scheduled')
    }
  })

  test('shows no part of a value that is no target', async () => {
    await setup.restart({ egress: createPolicy({ allowPrivateCidrs: [], neverAllow: [] }) })
    const from = { secretKeyRef: { name: 'chat', key: 'webhook' } }
    await setup.apply('kettle', { deliveries: [{ type: 'webhook', urlFrom: from }] })
    for (const [webhook, part] of [
      ['https://hunter2.localhost/x', 'hunter2'],
      ['https://hunter2.localhost:5432/x', 'hunter2'],
      ['https://10.98.76.54/x', '98.76'],
      ['https://[fd00:98::76]/x', 'fd00:98'],
      ['https://metadata.goog/x', 'metadata.goog'],
      ['https://example.com:6379/x', '6379'],
      ['ftp://hunter2.example/x', 'hunter2'],
      ['https://hunter2@example.com/x', 'hunter2'],
      ['https://hunter2 .example/x', 'hunter2'],
      ['https://hunter2:99999/x', 'hunter2'],
    ] as const) {
      await secret({ webhook: 'https://hooks.example/x' })
      await setup.until('kettle', 'Ready', 'Scheduled')
      await secret({ webhook })
      const text = await message('Invalid')
      expect(text, webhook).toMatch(/^spec\.deliveries\[0\]\.url(: [A-Z]| [a-z])/)
      expect(text, webhook).not.toContain(part)
    }
    // Only what is said: the random part of an Event's name may contain any digits, and so may the id of a monitor.
    const notes = (await setup.events()).map(({ note }) => note).join('\n')
    const said = notes.replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'an id')
    expect(said).toContain('spec.deliveries[0].url')
    expect(said).not.toMatch(/hunter2|98\.76|fd00:98|metadata\.goog|6379/)
  })

  test('is refused where the operator may not read it, with the command that allows this one alone', async () => {
    await setup.stop()
    await kube.kubectl('apply', '-f', RBAC)
    const account = '/api/v1/namespaces/tidemark/serviceaccounts/tidemark-operator/token'
    const { body } = await kube.call('POST', account, { spec: { expirationSeconds: 3_600 } })
    const config = JSON.parse(await readFile(kube.kubeconfig, 'utf8'))
    config.users[0].user.token = body.status.token
    config.contexts[0].context.namespace = 'tidemark'
    const file = join(setup.folder, 'kubeconfig')
    await writeFile(file, JSON.stringify(config))
    const client = createKubeClient(file)
    onTestFinished(() => client.close())
    await setup.restart({ client, namespace: 'tidemark' })
    await secret({ webhook: `${HOOK}one` })
    await setup.apply('kettle', { deliveries })
    const text = (await message('SecretForbidden')) ?? ''
    expect(text).toContain('The operator may not read the Secret chat.')
    const command = text.slice(text.indexOf('Allow it: ') + 10)
    const path = `${kubeAssets()}:${process.env['PATH']}`
    await promisify(execFile)('sh', ['-ec', command], {
      env: { PATH: path, KUBECONFIG: kube.kubeconfig, HOME: setup.folder },
    })
    await setup.until('kettle', 'Ready', 'Scheduled')
    const role = await kube.kubectl('get', 'role', '-n', setup.namespace, '-o', 'jsonpath={.items[*].rules}')
    expect(JSON.parse(role)).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['chat'], verbs: ['get'] },
    ])
    // The rights of the example are all that the operator needs, the end of a resource included.
    await kube.kubectl('delete', 'monitor', 'kettle', '-n', setup.namespace, '--timeout=15s')
    expect(await eventually(setup.events, (found) => found.length > 0)).not.toEqual([])
    expect(await setup.monitors()).toEqual([])
  })
})
