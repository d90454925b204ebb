import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer, kubeAssets } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { KEY, operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

const AGREES = { 'tidemark.dev/monitors': 'true' }
const from = (name: string) => ({ secretKeyRef: { name, key: 'value' } })
const reading = (name: string) => ({ requestHeadersFrom: [{ name: 'authorization', ...from(name) }] })

describeWithApiServer('A Secret that resources name', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened), { times: { ...TIMES, secretMs: 200 } })

  const put = async (name: string, labels: Record<string, string>, of = setup.namespace, more: object = {}) => {
    const path = `/api/v1/namespaces/${of}/secrets/${name}`
    await kube.call('DELETE', path)
    const answer = await kube.call('POST', `/api/v1/namespaces/${of}/secrets`, {
      metadata: { name, labels },
      stringData: { value: `the value of ${name}` },
      ...more,
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  }
  const refusal = async (of = setup.namespace, name = 'kettle') =>
    setup.condition(await setup.until(name, 'Ready', 'SecretForbidden', of), 'Ready')?.message ?? ''
  const headers = async (id: string | undefined) => {
    const stored = await setup.stored(id)
    const at = { teamId: setup.owner.teamId, column: 'monitors.request_headers', rowId: id ?? '' } as const
    return createSecretBox(KEY).open(at, stored?.request_headers ?? Buffer.of())
  }
  const shell = (command: string) =>
    promisify(execFile)('sh', ['-c', command], {
      env: {
        PATH: `${kubeAssets()}:${process.env['PATH']}`,
        KUBECONFIG: kube.kubeconfig,
        HOME: setup.folder,
      },
    })

  test.each([
    ['the headers of the request', reading('shop')],
    ['the address of a webhook', { deliveries: [{ type: 'webhook', urlFrom: from('shop') }] }],
    [
      'the headers of a webhook',
      {
        deliveries: [
          { type: 'webhook', url: 'https://hooks.example/x', headersFrom: [{ name: 'x-key', ...from('shop') }] },
        ],
      },
    ],
    [
      'the options of a service',
      {
        deliveries: [
          {
            ...{ type: 'webhook', service: 'pagerduty', url: 'https://events.example/x' },
            optionsFrom: [{ name: 'routing_key', ...from('shop') }],
          },
        ],
      },
    ],
    ['the address of a chat', { deliveries: [{ type: 'slack', webhookUrlFrom: from('shop') }] }],
  ])('gives no value without the label, for %s', async (_, spec) => {
    await put('shop', { 'tidemark.dev/monitors': 'yes' })
    await setup.apply('kettle', spec)
    expect(await refusal()).toBe(
      'The Secret shop does not say that monitors may read it. Whoever may create a monitor in the namespace ' +
        `${setup.namespace} can then use its values. Allow it: ` +
        `kubectl label secret shop -n ${setup.namespace} tidemark.dev/monitors=true`,
    )
    expect(await setup.monitors()).toEqual([])
    expect(JSON.stringify([await setup.read('kettle'), await setup.events()])).not.toContain('the value of')
  })

  test('agrees by the command of the message, and is given no more when the label goes', async () => {
    await put('shop', {})
    await setup.apply('kettle', reading('shop'))
    const message = await refusal()
    await shell(message.slice(message.indexOf('Allow it: ') + 10))
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    expect(await headers(status?.id)).toEqual({ authorization: 'the value of shop' })
    await kube.kubectl('label', 'secret', 'shop', '-n', setup.namespace, 'tidemark.dev/monitors-')
    await refusal()
    // What was accepted goes on with the value that it has.
    const [monitor] = await setup.monitors()
    expect(monitor).toMatchObject({ id: status?.id, paused: false, suspended: false })
    expect(monitor?.next_run_at).not.toBeNull()
    expect(await headers(status?.id)).toEqual({ authorization: 'the value of shop' })
    await kube.kubectl('label', 'secret', 'shop', '-n', setup.namespace, 'tidemark.dev/monitors=true')
    await setup.until('kettle', 'Ready', 'Scheduled')
  })

  test('is read without the label where a flag says so, with a line in the log', async () => {
    const lines: string[] = []
    const log = createLogger('warn', { write: (line: string) => void lines.push(line) })
    await put('shop', {})
    await setup.restart({ secretRules: { requireLabel: false, own: [] }, log })
    await setup.apply('kettle', reading('shop'))
    await setup.until('kettle', 'Ready', 'Scheduled')
    expect(lines.join('')).toContain('whoever may create a monitor in a namespace can use every Secret')
  })

  test('needs the label in the namespace of the installation, whatever the flag says', async () => {
    await setup.restart({ namespace: setup.namespace, secretRules: { requireLabel: false, own: [] } })
    await put('shop', {})
    await setup.apply('kettle', reading('shop'))
    await refusal()
    await kube.kubectl('label', 'secret', 'shop', '-n', setup.namespace, 'tidemark.dev/monitors=true')
    await setup.until('kettle', 'Ready', 'Scheduled')
  })

  test.each([
    ['that is named as one', 'tidemark-keys', {}, {}],
    ['of the setup', 'keys', { 'app.kubernetes.io/name': 'tidemark', 'app.kubernetes.io/component': 'setup' }, {}],
    ['of a runner', 'runner-1', { 'tidemark.dev/runners': 'tidemark-runner' }, {}],
    ['of Helm', 'sh.helm.release.v1.tidemark.v1', {}, { type: 'helm.sh/release.v1' }],
  ])('is never read when it is a Secret of the installation %s, labelled or not', async (_, name, labels, more) => {
    await setup.restart({ namespace: setup.namespace, secretRules: { requireLabel: false, own: ['tidemark-keys'] } })
    await put(name, { ...labels, ...AGREES }, setup.namespace, more)
    await setup.apply('kettle', reading(name))
    expect(await refusal()).toBe(
      `The Secret ${name} belongs to an installation, and no monitor may read it. Put the value into another Secret.`,
    )
    expect(await setup.monitors()).toEqual([])
  })

  test('is never read when Helm made it, also where the release is in another namespace than its objects', async () => {
    await setup.restart({ namespace: 'default', secretRules: { requireLabel: false, own: [] } })
    await put('sh.helm.release.v1.tidemark.v1', AGREES, setup.namespace, { type: 'helm.sh/release.v1' })
    await setup.apply('kettle', reading('sh.helm.release.v1.tidemark.v1'))
    expect(await refusal()).toContain('belongs to an installation, and no monitor may read it')
    expect(await setup.monitors()).toEqual([])
  })

  test('of a name of the installation is one like any other in another namespace', async () => {
    await setup.restart({ namespace: 'default', secretRules: { requireLabel: true, own: ['tidemark-keys'] } })
    await put('tidemark-keys', AGREES)
    await setup.apply('kettle', reading('tidemark-keys'))
    await setup.until('kettle', 'Ready', 'Scheduled')
  })

  test('is labelled by the command of the page about upgrades, where a resource of any kind names it', async () => {
    const other = await setup.newNamespace()
    for (const name of ['shop', 'chat', 'hook', 'unused']) await put(name, {})
    await put('rank', {}, other)
    const hook = { type: 'webhook', urlFrom: from('hook'), headersFrom: [{ name: 'x-key', ...from('shop') }] }
    await setup.apply('kettle', { ...reading('shop'), deliveries: [{ type: 'slack', webhookUrlFrom: from('chat') }] })
    await setup.apply('pot', { deliveries: [hook, { type: 'email', to: 'a@example.com' }] })
    await setup.apply('plain')
    await setup.apply('gone', reading('nobody-made-it'))
    const serp = await kube.call('POST', `/apis/tidemark.dev/v1/namespaces/${other}/serpmonitors`, {
      apiVersion: 'tidemark.dev/v1',
      kind: 'SerpMonitor',
      metadata: { name: 'rank' },
      spec: {
        name: 'Rank',
        keyword: 'kettle',
        scheduleIntervalSeconds: 86_400,
        targetDomain: 'shop.example',
        deliveries: [{ type: 'discord', webhookUrlFrom: from('rank') }],
      },
    })
    expect(serp.status, JSON.stringify(serp.body)).toBe(201)
    await refusal()
    const page = await readFile(new URL('../../docs/upgrade.md', import.meta.url), 'utf8')
    const command = /```sh\n([^`]*tidemark\.dev\/monitors=true[^`]*)```/.exec(page)?.[1] ?? ''
    expect(command.trim().split('\n').length).toBeGreaterThan(0)
    // The result of the loop is that of its last Secret: other tests have some that are labelled otherwise.
    const labelAll = `${command}\ntrue`
    await shell(labelAll)
    const labelled = async (of: string) => {
      const { items } = (await kube.call('GET', `/api/v1/namespaces/${of}/secrets?labelSelector=tidemark.dev/monitors`))
        .body as { items: { metadata: { name: string } }[] }
      return items.map(({ metadata }) => metadata.name).toSorted()
    }
    expect(await labelled(setup.namespace)).toEqual(['chat', 'hook', 'shop'])
    expect(await labelled(other)).toEqual(['rank'])
    await shell(labelAll)
    await setup.until('pot', 'Ready', 'Invalid')
    await eventually(
      async () => (await kube.kubectl('get', 'monitors', 'gone', '-n', setup.namespace)).includes('False'),
      Boolean,
    )
  })
})
