import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createPolicy, createRunnerPolicy } from '../../egress/policy.ts'
import { DENIED_ADDRESSES, PUBLIC_ADDRESSES } from '../support/network/addresses.ts'

const closed = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
const everything = createPolicy({
  allowPrivateCidrs: ['0.0.0.0/0', '::/0'],
  neverAllow: [{ host: '10.1.1.1', port: 5432 }],
})

describe('a policy', () => {
  test('with no setting allows public addresses and no other', () => {
    expect(DENIED_ADDRESSES.filter((address) => closed.refusal(address, 80) === null)).toEqual([])
    expect(PUBLIC_ADDRESSES.filter((address) => closed.refusal(address, 80) !== null)).toEqual([])
  })

  test('opens exactly the ranges that are set', () => {
    const policy = createPolicy({ allowPrivateCidrs: ['10.1.0.0/17', 'fd12::/16'], neverAllow: [] })
    expect(['10.1.0.0', '10.1.127.255', '::ffff:10.1.0.1', 'fd12::1'].map((a) => policy.refusal(a, 80))).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(
      ['10.0.255.255', '10.1.128.0', '127.0.0.1', 'fd13::1', '::10.1.0.1'].filter(
        (a) => policy.refusal(a, 80) === null,
      ),
    ).toEqual([])
  })

  test.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '169.254.170.2',
    '168.63.129.16',
  ])('refuses %s although everything is opened', (address) => {
    expect(everything.refusal(address, 80)).not.toBeNull()
  })

  test.each([
    'fd00:ec2::254',
    '100.100.100.200',
    '192.0.0.192',
    '0.0.0.0',
    '::',
    '255.255.255.255',
    '224.0.0.1',
    'fe80::1',
  ])('refuses %s although everything is opened, too', (address) => {
    expect(everything.refusal(address, 80)).not.toBeNull()
  })

  test('opens an address that carries another only where the inner one is open as well', () => {
    const policy = createPolicy({ allowPrivateCidrs: ['64:ff9b::/96', '10.0.0.0/8'], neverAllow: [] })
    expect(policy.refusal('64:ff9b::808:808', 80)).toBeNull()
    expect(policy.refusal('64:ff9b::a00:1', 80)).toBeNull()
    expect(policy.refusal('64:ff9b::7f00:1', 80)).not.toBeNull()
  })

  test.each([22, 23, 25, 445, 465, 587, 2379, 3306, 5432, 6379, 10250, 27017])(
    'refuses port %i on a public address',
    (port) => {
      expect(closed.refusal('1.1.1.1', port)).not.toBeNull()
    },
  )

  test.each([80, 443, 3000, 8080, 8443, 31337, 65535])('allows port %i on a public address', (port) => {
    expect(closed.refusal('1.1.1.1', port)).toBeNull()
  })

  test('has no port list inside a range that is open', () => {
    const policy = createPolicy({ allowPrivateCidrs: ['10.0.0.0/8'], neverAllow: [] })
    expect(policy.refusal('10.0.0.1', 22)).toBeNull()
    expect(policy.refusal('1.1.1.1', 22)).not.toBeNull()
  })

  test('refuses the port of the database inside a range that is open, and on no public address', () => {
    const policy = createPolicy({ allowPrivateCidrs: ['10.0.0.0/8'], neverAllow: [], databasePorts: [6543] })
    expect(policy.refusal('10.0.0.1', 6543)).toBe('on the port of the database of this installation')
    expect(policy.refusal('10.0.0.1', 6544)).toBeNull()
    expect(policy.refusal('1.1.1.1', 6543)).toBeNull()
  })

  test('never allows our own endpoints, on their port only', () => {
    expect(everything.refusal('10.1.1.1', 5432)).not.toBeNull()
    expect(everything.refusal('::ffff:10.1.1.1', 5432)).not.toBeNull()
    expect(everything.refusal('10.1.1.1', 5433)).toBeNull()
    expect(everything.refusal('10.1.1.2', 5432)).toBeNull()
  })

  test('counts every loopback address and every address of this machine as the same host', () => {
    const policy = createPolicy({
      allowPrivateCidrs: ['0.0.0.0/0', '::/0'],
      neverAllow: [{ host: '127.0.0.1', port: 5432 }],
    })
    const own = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .map(({ address }) => address)
    const addresses = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '[::1]', ...own]
    expect(addresses.filter((address) => policy.refusal(address, 5432) === null)).toEqual([])
    expect(policy.refusal('127.0.0.1', 5433)).toBeNull()
  })

  test.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'intranet', '10.0.0.0/', '10.0.0.0/-1', ''])(
    'throws on the range %j',
    (range) => {
      expect(() => createPolicy({ allowPrivateCidrs: [range], neverAllow: [] })).toThrow(TypeError)
    },
  )
})

describe('networks that the operator denies', () => {
  const policy = createPolicy({
    allowPrivateCidrs: ['10.0.0.0/8', '64:ff9b::/96'],
    denyCidrs: ['10.9.0.0/16', '1.1.1.0/24', '2606:4700::/32'],
    neverAllow: [],
  })

  test.each(['10.9.0.1', '::ffff:10.9.0.1', '64:ff9b::a09:1', '1.1.1.1', '::ffff:1.1.1.1', '2606:4700::1'])(
    'are refused although they are public or opened: %s',
    (address) => {
      expect(policy.refusal(address, 443)).toBe('denied by the operator of this installation')
      expect(policy.canOpen(address)).toBe(false)
    },
  )

  test('are no wider than they are written', () => {
    for (const address of ['10.8.0.1', '1.1.2.1', '2606:4701::1']) expect(policy.refusal(address, 443)).toBeNull()
  })
})

test('the policy of a runner takes what its worker denies, keeps its own, and forgets what is denied no more', () => {
  const policy = createRunnerPolicy({
    allowPrivateCidrs: ['10.0.0.0/8'],
    denyCidrs: ['10.9.0.0/16'],
    neverAllow: [{ host: '10.0.0.1', port: 80 }],
  })
  policy.deny({
    cidrs: ['10.8.0.0/16'],
    endpoints: [
      { host: '10.0.0.2', port: 5432 },
      { host: 'db.test', port: 5432 },
    ],
  })
  const refused = (address: string, port = 80) => policy.refusal(address, port) !== null
  expect([refused('10.9.1.1'), refused('10.8.1.1'), refused('10.0.0.1'), refused('10.0.0.2', 5432)]).toEqual(
    Array(4).fill(true),
  )
  expect(policy.namedEndpoints(5432)).toEqual([{ host: 'db.test', port: 5432 }])
  policy.deny({ cidrs: [], endpoints: [] })
  expect([refused('10.9.1.1'), refused('10.8.1.1'), refused('10.0.0.1'), refused('10.0.0.2', 5432)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect(() => policy.deny({ cidrs: ['nonsense'], endpoints: [] })).toThrow(TypeError)
})

test('an endpoint of the installation is refused by every IPv6 address that carries its IPv4 address', () => {
  const { refusal } = createPolicy({
    allowPrivateCidrs: ['10.0.0.0/8', '127.0.0.0/8', '64:ff9b::/96'],
    neverAllow: [
      { host: '10.96.0.1', port: 443 },
      { host: '127.0.0.1', port: 6432 },
    ],
  })
  expect(refusal('64:ff9b::a60:1', 443)).toBe('an endpoint of this installation')
  expect(refusal('64:ff9b::7f00:1', 6432)).toBe('an endpoint of this installation')
  expect(refusal('64:ff9b::a60:2', 443)).toBeNull()
  expect(refusal('64:ff9b::a60:1', 444)).toBeNull()
})
