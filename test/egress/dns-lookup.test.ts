import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDnsLookup, namesToAsk, parseHosts, parseSearchRules } from '../../egress/dns-lookup.ts'
import { openNameServer } from './name-server.ts'

const NEVER = new AbortController().signal

async function files(hosts: string, resolvConf: string): Promise<{ hosts: string; resolvConf: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-names-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const paths = { hosts: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') }
  await Promise.all([writeFile(paths.hosts, hosts), writeFile(paths.resolvConf, resolvConf)])
  return paths
}

async function lookupWith(reply: Parameters<typeof openNameServer>[0], hosts = '', resolvConf = '') {
  const server = await openNameServer(reply)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const lookup = createDnsLookup({ ...(await files(hosts, resolvConf)), servers: [server.address] })
  const addresses = async (name: string) => (await lookup(name, NEVER)).map(({ address }) => address)
  return { lookup, addresses, asked: server.asked }
}

describe('a hosts file', () => {
  test('is read by name, with aliases, both families, comments and any case', () => {
    const text =
      '127.0.0.1 localhost\n# 1.1.1.1 no\n10.0.0.1\tDb.Internal db  # the database\n\nfd00::1 db\n10.0.0.2 db\n'
    const hosts = parseHosts(text)
    expect(hosts.get('db.internal')).toEqual(['10.0.0.1'])
    expect(hosts.get('db')).toEqual(['10.0.0.1', 'fd00::1', '10.0.0.2'])
    expect(hosts.has('no')).toBe(false)
  })

  test('gives nothing for a line that does not begin with an address', () => {
    expect([...parseHosts('nonsense a\n1.2.3 b\nfe80::1%eth0 c\n1.2.3.4\n').keys()]).toEqual([])
  })
})

describe('the search rules', () => {
  test.each([
    ['', { search: [], ndots: 1 }],
    ['nameserver 10.0.0.1\nsearch a.test b.test.\noptions ndots:5 edns0\n', { search: ['a.test', 'b.test'], ndots: 5 }],
    ['search a.test\ndomain b.test\n', { search: ['b.test'], ndots: 1 }],
    ['domain a.test\nsearch B.test # c.test\n', { search: ['b.test'], ndots: 1 }],
    ['; search a.test\nsearch .\noptions ndots:99\n', { search: [], ndots: 15 }],
  ])('of %j', (text, rules) => {
    expect(parseSearchRules(text)).toEqual(rules)
  })

  test('put a name with enough dots first, and any other one last', () => {
    const rules = { search: ['a.test', 'b.test'], ndots: 2 }
    expect(namesToAsk('w.x.y', rules)).toEqual(['w.x.y', 'w.x.y.a.test', 'w.x.y.b.test'])
    expect(namesToAsk('w.x', rules)).toEqual(['w.x.a.test', 'w.x.b.test', 'w.x'])
  })
})

describe('a lookup', () => {
  test('returns the addresses of both families in turn', async () => {
    const { addresses, asked } = await lookupWith(() => ['1.1.1.1', '1.1.1.2', '2606:4700::1'])
    expect((await addresses('a.test')).toSorted()).toEqual(['1.1.1.1', '1.1.1.2', '2606:4700::1'])
    expect(asked.toSorted()).toEqual(['A a.test', 'AAAA a.test'])
    expect(await addresses('a.test')).toEqual(expect.arrayContaining(['2606:4700::1']))
  })

  test('takes a name of the hosts file from there and asks nobody', async () => {
    const { addresses, asked } = await lookupWith(() => ['9.9.9.9'], '10.1.2.3 inside.test\n')
    expect(await addresses('inside.test')).toEqual(['10.1.2.3'])
    expect(asked).toEqual([])
  })

  test('sees a change of the hosts file', async () => {
    const paths = await files('10.0.0.1 a.test\n', '')
    const lookup = createDnsLookup({ ...paths, servers: ['127.0.0.1:9'] })
    expect(await lookup('a.test', NEVER)).toMatchObject([{ address: '10.0.0.1' }])
    await writeFile(paths.hosts, '10.0.0.22 a.test\n')
    await expect.poll(() => lookup('a.test', NEVER)).toMatchObject([{ address: '10.0.0.22' }])
  })

  test('follows the search rules, past names that do not exist and servers that fail', async () => {
    const { addresses, asked } = await lookupWith(
      (name) => (name === 'web.c.test' ? ['10.0.0.7'] : name === 'web.b.test' ? 'server failure' : 'no such name'),
      '',
      'search a.test b.test c.test\n',
    )
    expect(await addresses('web')).toEqual(['10.0.0.7'])
    expect(new Set(asked)).toEqual(
      new Set(['a', 'b', 'c'].flatMap((domain) => [`A web.${domain}.test`, `AAAA web.${domain}.test`])),
    )
  })

  test.each([
    ['no such name', 'ENOTFOUND'],
    ['server failure', 'ESERVFAIL'],
    [[], 'ENOTFOUND'],
  ] as const)('answered with %j fails as %s', async (reply, code) => {
    const { lookup } = await lookupWith(() => reply)
    await expect(lookup('a.test', NEVER)).rejects.toMatchObject({ code })
  })

  test('does not wait long for a family that is not answered when the other one was', async () => {
    const { addresses } = await lookupWith((_name, type) => (type === 'A' ? ['1.1.1.1'] : 'silence'))
    const from = performance.now()
    expect(await addresses('a.test')).toEqual(['1.1.1.1'])
    expect(performance.now() - from).toBeLessThan(1_400)
  })

  test('that is ended by its signal stops asking', async () => {
    const { lookup } = await lookupWith(() => 'silence')
    const late = new AbortController()
    const looked = lookup('a.test', late.signal)
    late.abort()
    await expect(looked).rejects.toMatchObject({ code: 'ECANCELLED' })
  })
})
