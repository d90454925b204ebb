import { expect, test } from 'vitest'
import { denialsForRunners, egressPolicy } from '../../boot/parts/egress.ts'
import { readSettings, SettingsError } from '../../boot/settings/read-config.ts'
import { vet } from '../../egress/guarded-agent.ts'
import { createResolver } from '../../egress/resolve.ts'

const KEY = { TIDEMARK_ENCRYPTION_KEY: 'a passphrase of a test' }
const OPEN = { TIDEMARK_ALLOW_PRIVATE_CIDRS: '0.0.0.0/0,::/0' }
const policyOf = (environment: Record<string, string>) =>
  egressPolicy(readSettings({ ...KEY, ...OPEN, ...environment }))

test.each([
  ['postgres://u:p@10.0.0.5/db', '10.0.0.5', 5432],
  ['postgresql://u:p@10.0.0.5:6000/db', '10.0.0.5', 6000],
  ['postgres://u:p@[fd12::5]:6000/db', 'fd12::5', 6000],
  ['postgres://u:p@2130706433/db', '127.0.0.1', 5432],
  ['postgres://u:p@0x7f.1/db', '127.0.0.9', 5432],
  ['postgres://u:p@ignored/db?host=10.0.0.6&port=6001', '10.0.0.6', 6001],
  ['postgres:///db', '127.0.0.1', 5432],
])('the database of %s is denied, whatever is opened', async (url, address, port) => {
  const policy = policyOf({ DATABASE_URL: url })
  const vetted = await vet({ host: address, port }, policy, createResolver(), '')
  expect(vetted.ok).toBe(false)
  expect(policy.refusal(address, port + 1)).toBeNull()
})

test('the port of the database is refused on every opened address, and that of the API server is not', () => {
  const policy = policyOf({ DATABASE_URL: 'postgres://u:p@db.test:6432/d', KUBERNETES_SERVICE_HOST: '10.96.0.1' })
  expect(policy.refusal('10.244.1.7', 6432)).toBe('on the port of the database of this installation')
  expect(policy.refusal('10.244.1.7', 443)).toBeNull()
})

test('a database on a socket file has no address to deny', () => {
  expect(policyOf({ DATABASE_URL: 'postgres:///db?host=/run/postgresql' }).denials.endpoints).toEqual([])
})

test.each([
  [{ KUBERNETES_SERVICE_HOST: '10.96.0.1' }, '10.96.0.1', 443],
  [{ KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' }, '10.96.0.1', 6443],
  [{ KUBERNETES_SERVICE_HOST: 'fd00:96::1' }, 'fd00:96::1', 443],
])('the API server of the cluster is denied: %j', (environment, address, port) => {
  const policy = policyOf(environment)
  expect(policy.refusal(address, port)).toBe('an endpoint of this installation')
  expect(policy.refusal(address, port + 1)).toBeNull()
})

test('TIDEMARK_DENY_CIDRS is stronger than TIDEMARK_ALLOW_PRIVATE_CIDRS', () => {
  const policy = policyOf({ TIDEMARK_DENY_CIDRS: '10.1.0.0/16, 198.51.100.7' })
  expect(policy.refusal('10.1.2.3', 80)).not.toBeNull()
  expect(policy.refusal('198.51.100.7', 80)).not.toBeNull()
  expect(policy.refusal('10.2.2.3', 80)).toBeNull()
})

test('a denied network that is none is named with its text', () => {
  const read = () => readSettings({ TIDEMARK_DENY_CIDRS: '10.0.0.0/8,10.0.0.0/33' })
  expect(read).toThrow(SettingsError)
  expect(read).toThrow('TIDEMARK_DENY_CIDRS contains "10.0.0.0/33", which is not a network such as 10.0.0.0/8')
})

test('runners learn the denied networks and endpoints, and the addresses behind names', async () => {
  let addresses = ['10.0.0.5', 'fd12::5']
  const resolver = createResolver({
    lookup: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  })
  const policy = policyOf({ DATABASE_URL: 'postgres://u:p@db.test/d', TIDEMARK_DENY_CIDRS: '10.1.0.0/16' })
  const denials = denialsForRunners(policy, resolver)
  const port = 5432
  const expected = {
    cidrs: ['10.1.0.0/16'],
    endpoints: ['db.test', '10.0.0.5', 'fd12::5'].map((host) => ({ host, port })),
    databasePorts: [port],
  }
  expect(await denials()).toEqual(expected)
  addresses = []
  expect(await denials()).toEqual(expected)
})
