import { createServer, request } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EgressProxy, startEgressProxy } from '../../egress/egress-proxy.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createResolver } from '../../egress/resolve.ts'

let proxy: EgressProxy
let contacts = 0
const site = createServer((asked, response) => {
  contacts += 1
  if (asked.url === '/echo') response.end(JSON.stringify(asked.headers))
  else response.setHeader('proxy-authenticate', 'x').end('hello')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  proxy = await startEgressProxy(createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] }))
})

afterAll(async () => {
  await proxy.close()
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

const port = () => (site.address() as AddressInfo).port
const proxyPort = () => Number(new URL(proxy.server).port)

/** What the proxy answers to a line; the empty string when it says nothing and hangs up. */
function say(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(proxyPort(), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
      if (/^HTTP\/1.1 200 Connection/.test(answer) || answer.endsWith('hello')) socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}

test('an absolute-form request reaches an allowed target and comes back without what belongs to the hop', async () => {
  const answer = await say(`GET http://127.0.0.1:${port()}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1.1 200 OK/)
  expect(answer).toContain('hello')
  expect(answer).not.toMatch(/proxy-authenticate/i)
})

test('headers of the hop and a forged Host do not go on', async () => {
  const headers = await new Promise<string>((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port: proxyPort(),
      path: `http://127.0.0.1:${port()}/echo`,
      headers: {
        host: 'forged.example',
        'proxy-authorization': 'secret',
        connection: 'close, x-hop',
        'x-hop': '1',
        'x-own': '2',
      },
    })
    asked.on('response', (response) => {
      response.toArray().then((chunks) => resolve(Buffer.concat(chunks).toString()), reject)
    })
    asked.on('error', reject)
    asked.end()
  })
  expect(JSON.parse(headers)).toEqual({ host: `127.0.0.1:${port()}`, 'x-own': '2', connection: 'close' })
})

test('a tunnel reaches an allowed target', async () => {
  expect(await say(`CONNECT 127.0.0.1:${port()} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 200/)
})

test.each([
  '10.0.0.1:80',
  '169.254.169.254:80',
  '[::1]:80',
  '[::ffff:127.0.0.2]:80',
  '127.0.0.2:443',
  'localhost.:1',
  '2130706434:80',
  '192.168.0.1:22',
])('a tunnel to %s is refused before anything is dialled, and known as denied', async (target) => {
  const before = proxy.counts.denied
  expect(await say(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^(HTTP\/1.1 502|$)/)
  expect(proxy.counts.denied + proxy.counts.opened).toBeGreaterThan(before)
})

test('a request to a refused target gets no answer at all: nothing can be taken for the target’s words', async () => {
  const before = contacts
  expect(await say('GET http://127.0.0.2:1/ HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
  expect(proxy.failureOf({ host: '127.0.0.2', port: 1 })).toEqual({ kind: 'denied' })
  expect(contacts).toBe(before)
})

test.each([
  'CONNECT nonsense@x:80 HTTP/1.1',
  'CONNECT /path HTTP/1.1',
  'GET / HTTP/1.1',
  'GET ftp://127.0.0.1/ HTTP/1.1',
  'GET https://127.0.0.1/ HTTP/1.1',
])('%s is no request for a proxy', async (line) => {
  const { opened } = proxy.counts
  expect(await say(`${line}\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 (400|502)/)
  expect(proxy.counts.opened).toBe(opened)
})

test('a page that asks for many names whose servers are silent delays the names of its own team only', async () => {
  const resolver = createResolver({
    lookup: (name) =>
      name.startsWith('hang') ? new Promise(() => {}) : Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    timeoutMs: 2_500,
    pending: { total: 100, perTeam: 8 },
  })
  const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
  const shared = await startEgressProxy(policy, { resolver })
  const ask = async (team: string, name: string): Promise<number> => {
    const from = performance.now()
    const { port: own } = new URL(await shared.serverFor(team))
    await new Promise((resolve) => {
      const asked = request({ host: '127.0.0.1', port: own, path: `http://${name}:${port()}/`, agent: false })
      asked.on('response', (response) => response.resume().once('end', resolve))
      asked.on('error', resolve).end()
    })
    return performance.now() - from
  }
  try {
    const hanging = Array.from({ length: 80 }, (_, n) => ask('one', `hang${n}.test`))
    const own = ask('one', 'good.test')
    expect(await ask('other', 'fine.test')).toBeLessThan(2_000)
    expect(await own).toBeGreaterThan(2_000)
    await Promise.all(hanging)
    expect(shared.counts.opened).toBeGreaterThanOrEqual(1)
  } finally {
    await shared.close()
  }
})
