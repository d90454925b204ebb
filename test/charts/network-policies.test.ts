import { beforeAll, expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import { type Manifest, describeWithHelm, manifestsOf, podOf, valuesFile } from './helm.ts'
import { allows, type End, isPublic } from './network-policies.ts'

const NAMESPACE = 'tidemark'
const own = (component: string) => ({
  labels: {
    'app.kubernetes.io/name': 'tidemark',
    'app.kubernetes.io/instance': 'tidemark',
    'app.kubernetes.io/component': component,
  },
  namespace: NAMESPACE,
})
const stranger: End = { labels: { app: 'stranger' }, namespace: 'shop' }
const neighbour: End = { labels: { app: 'neighbour' }, namespace: NAMESPACE }
const dns: End = { labels: { 'k8s-app': 'kube-dns' }, namespace: 'kube-system' }
const at = (address: string): End => ({ address })

/** The components that connect to addresses which people choose. */
const CHECKING = ['api', 'worker', 'runner']

describeWithHelm('The network policies of the chart', () => {
  let tryOut: Manifest[]
  let internal: Manifest[]
  beforeAll(async () => {
    const policies = async (name: string) =>
      (await manifestsOf('-f', valuesFile(name))).filter(({ kind }) => kind === 'NetworkPolicy')
    tryOut = await policies('try-out')
    internal = await policies('internal')
  })

  test.each([
    ['93.184.216.34', 443],
    ['8.8.8.8', 80],
    ['2606:2800:220:1::1', 443],
    ['10.0.0.7', 443],
    ['172.16.4.4', 80],
    ['192.168.1.1', 8080],
    ['169.254.169.254', 80],
    ['100.100.100.200', 80],
    ['168.63.129.16', 80],
    ['127.0.0.1', 80],
    ['0.0.0.0', 80],
    ['224.0.0.1', 80],
    ['255.255.255.255', 80],
    ['fd00:ec2::254', 80],
    ['fe80::1', 80],
    ['::1', 80],
    ['2002:a00:1::', 80],
    ['2001:db8::1', 80],
    ['64:ff9b::a00:1', 80],
    ['::ffff:10.0.0.1', 80],
  ])('let checks reach %s as the egress guard does', (address, port) => {
    for (const component of CHECKING)
      expect(allows(tryOut, own(component), 'egress', { end: at(address), port }), component).toBe(isPublic(address))
  })

  test.each([
    // pod, what it connects to, port, whether it may
    ['api', own('postgres'), 5432, true],
    ['worker', own('postgres'), 5432, true],
    ['operator', own('postgres'), 5432, true],
    ['setup', own('postgres'), 5432, true],
    ['runner', own('postgres'), 5432, false],
    ['test', own('postgres'), 5432, false],
    ['test', own('api'), 8080, true],
    ['runner', own('worker'), 8081, true],
    ['runner', own('worker'), 9100, false],
    ['runner', own('api'), 8080, false],
    ['worker', own('api'), 8080, false],
    ['operator', at('10.96.0.1'), 443, true],
    ['setup', at('10.96.0.1'), 6443, true],
    ['worker', at('10.96.0.1'), 443, false],
    ['api', at('10.96.0.1'), 443, false],
    ['runner', at('10.96.0.1'), 443, false],
    ['operator', at('93.184.216.34'), 80, false],
    ['postgres', at('93.184.216.34'), 443, false],
    ['postgres', dns, 53, false],
    ['worker', stranger, 80, false],
    ['runner', stranger, 80, false],
  ] as const)('from %s to %j on port %i: %s', (component, end, port, expected) => {
    expect(allows(tryOut, own(component), 'egress', { end, port })).toBe(expected)
  })

  test('let every process but the database ask for names', () => {
    for (const component of [...CHECKING, 'operator', 'setup', 'test'])
      for (const protocol of ['UDP', 'TCP'])
        expect(allows(tryOut, own(component), 'egress', { end: dns, port: 53, protocol }), component).toBe(true)
  })

  test.each([
    ['api', stranger, 8080, true],
    ['api', stranger, 9100, true],
    ['worker', own('runner'), 8081, true],
    ['worker', stranger, 8081, false],
    ['worker', neighbour, 8081, false],
    ['postgres', own('worker'), 5432, true],
    ...(['api', 'operator', 'setup'] as const).map((component) => ['postgres', own(component), 5432, true] as const),
    ['postgres', own('runner'), 5432, false],
    ['postgres', own('test'), 5432, false],
    ['postgres', stranger, 5432, false],
    ['postgres', neighbour, 5432, false],
    ['api', neighbour, 9100, true],
    ...(['api', 'worker', 'operator'] as const).map((component) => [component, own('runner'), 9100, false] as const),
    ['runner', stranger, 9222, false],
    ['operator', stranger, 8080, false],
    ['setup', stranger, 8080, false],
  ] as const)('to %s from %j on port %i: %s', (component, end, port, expected) => {
    expect(allows(tryOut, own(component), 'ingress', { end, port })).toBe(expected)
  })

  const SEEN = ['10.1.2.3', '10.200.0.1', '10.9.9.9', '172.16.0.1', '192.168.7.9', '192.168.7.8', '100.64.1.1']
  const METADATA = ['100.100.100.200', '169.254.169.254', '168.63.129.16', 'fd00:ec2::254', '0.0.0.1', '224.0.0.1']
  const PUBLIC = ['1.1.1.1', '93.184.216.34', '198.51.100.9', '2606:2800:220:1::1', '2a00:1234::9', '2a00:1235::9']
  const V6 = ['fd00::9', 'fd12::1', 'fd12::2', 'fc00::1', 'fe80::1', '2001:db8::1']

  test.each([
    [['10.0.0.0/8'], ['10.1.0.0/16']],
    [['10.9.9.9', '192.168.7.9/32', 'fd12::1'], []],
    [['100.64.0.0/10', 'fd00::/8', '0.0.0.0/4'], ['fd12::/16']],
    [['0.0.0.0/0', '::/0'], []],
    [
      ['0.0.0.0/0', '::/0'],
      ['10.0.0.0/8', '1.0.0.0/8', '2a00:1234::/32'],
    ],
    [['169.254.0.0/16', '169.254.169.0/24', 'fe80::/10', '224.0.0.0/8'], []],
    [[], ['0.0.0.0/1', '2000::/3']],
    [[], ['::/0']],
    [[], ['1.1.1.1', '2A00:1234:0:0:0:0:0:9', '93.184.216.34/29']],
    [['10.1.0.0/16'], ['10.0.0.0/8']],
    [['10.1.2.3'], ['0.0.0.0/0', '::/0']],
  ])('with %j opened and %j closed, let checks reach what the guard lets them reach', async (open, closed) => {
    const set = (name: string, list: readonly string[]) => ['--set-json', `egress.${name}=${JSON.stringify(list)}`]
    const args = [...set('allowPrivateCidrs', open), ...set('denyCidrs', closed)]
    const policies = (await manifestsOf('-f', valuesFile('try-out'), ...args)).filter(
      ({ kind }) => kind === 'NetworkPolicy',
    )
    const guard = createPolicy({ allowPrivateCidrs: open, denyCidrs: closed, neverAllow: [] })
    const addresses = [...SEEN, ...METADATA, ...PUBLIC, ...V6]
    const guarded = addresses.filter((address) => guard.refusal(address, 443) === null)
    for (const component of CHECKING)
      expect(
        addresses.filter((address) => allows(policies, own(component), 'egress', { end: at(address), port: 443 })),
        component,
      ).toEqual(guarded)
  })

  test('have rules of a value for the API and the workers, and none of them for others', async () => {
    const rules = [{ to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mail' } } }] }]
    const mail: End = { labels: {}, namespace: 'mail' }
    const args = ['-f', valuesFile('try-out'), '--set-json', `networkPolicy.extraEgress=${JSON.stringify(rules)}`]
    const policies = (await manifestsOf(...args)).filter(({ kind }) => kind === 'NetworkPolicy')
    const may = [...CHECKING, 'operator', 'setup', 'postgres', 'test'].filter((component) =>
      allows(policies, own(component), 'egress', { end: mail, port: 587 }),
    )
    expect(may).toEqual(['api', 'worker'])
    expect(allows(policies, own('worker'), 'egress', { end: stranger, port: 587 })).toBe(false)
  })

  test('open what a value opens, in the policies and in the setting of the guard', async () => {
    for (const component of CHECKING) {
      expect(allows(internal, own(component), 'egress', { end: at('10.40.1.2'), port: 80 }), component).toBe(true)
      expect(allows(internal, own(component), 'egress', { end: at('10.41.1.2'), port: 80 }), component).toBe(false)
      expect(allows(internal, own(component), 'egress', { end: at('2a00:1234::1'), port: 80 }), component).toBe(false)
      expect(allows(internal, own(component), 'egress', { end: at('2a00:1235::1'), port: 80 }), component).toBe(true)
    }
    expect(allows(internal, own('worker'), 'egress', { end: at('10.20.0.5'), port: 5432 })).toBe(true)
    expect(allows(internal, own('worker'), 'egress', { end: at('10.21.0.5'), port: 5432 })).toBe(false)
    expect(allows(internal, own('worker'), 'egress', { end: at('10.30.0.5'), port: 9000 })).toBe(true)
    expect(allows(internal, own('runner'), 'egress', { end: at('10.30.0.5'), port: 9000 })).toBe(false)
    const ingress: End = { labels: {}, namespace: 'ingress' }
    expect(allows(internal, own('api'), 'ingress', { end: ingress, port: 8080 })).toBe(true)
    expect(allows(internal, own('api'), 'ingress', { end: stranger, port: 8080 })).toBe(false)
    expect(allows(internal, own('api'), 'ingress', { end: own('test'), port: 8080 })).toBe(true)
    expect(allows(internal, own('api'), 'ingress', { end: own('runner'), port: 8080 })).toBe(false)
    for (const manifest of await manifestsOf('-f', valuesFile('internal')))
      for (const { name, env } of podOf(manifest)?.spec.containers ?? [])
        expect(env, name).toEqual(
          expect.arrayContaining([
            { name: 'TIDEMARK_ALLOW_PRIVATE_CIDRS', value: '10.40.0.0/16' },
            { name: 'TIDEMARK_DENY_CIDRS', value: '198.18.7.0/24,2a00:1234::/32' },
          ]),
        )
  })
})
