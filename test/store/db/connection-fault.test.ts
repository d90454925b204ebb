import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explain } from '../../../cli/explain-error.ts'
import { connectionFault } from '../../../store/db/connection-fault.ts'
import { migrate } from '../../../store/db/migrate.ts'
import { startBreakablePostgres, type BreakablePostgres } from '../../support/database/breakable-postgres.ts'

/** What a person reads when a command starts with this database. */
const readBy = async (url: string): Promise<string> =>
  migrate(url).then(
    () => 'it was migrated',
    (error: unknown) => explain(error),
  )

/** What is expected of every text: one sentence with the place, and nothing that is secret. */
function expectSentence(text: string, why: string, advice: string): void {
  expect(text).toMatch(/^tidemark: the database (at|in) \S+ cannot be used: /)
  expect(text).toContain(`: ${why}; ${advice}`)
  expect(text).not.toMatch(/\n|canary/)
}

describe('of a real Postgres', () => {
  let postgres: BreakablePostgres
  const at = (change: (url: URL) => void) => {
    const url = new URL(postgres.url)
    change(url)
    return url.href
  }
  beforeAll(async () => {
    postgres = await startBreakablePostgres({ settings: { max_connections: '6' } })
  })
  afterAll(() => postgres[Symbol.asyncDispose]())

  const asked = async (statement: string) => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }

  test('a wrong password is explained', async () => {
    const text = await readBy(at((url) => (url.password = 'canary')))
    expectSentence(text, 'it refuses this user or password', 'correct them in DATABASE_URL')
  })

  test('a password that is missing is explained', async () => {
    const text = await readBy(at((url) => (url.password = '')))
    expectSentence(text, 'it asks for a password, and DATABASE_URL has none', 'add one')
  })

  test('a database that is not there is explained', async () => {
    const text = await readBy(at((url) => (url.pathname = '/nowhere')))
    expectSentence(text, 'there is no database of this name on it', 'create one with createdb')
  })

  test('an account that may not create tables is explained', async () => {
    await asked(`create role guest login password 'canary'`)
    await asked(`create database guarded`)
    const text = await readBy(
      at((url) => {
        url.username = 'guest'
        url.password = 'canary'
        url.pathname = '/guarded'
      }),
    )
    expectSentence(text, 'this user may not create tables in it', 'make the user the owner of the database')
  })

  test('a server that does not encrypt is explained', async () => {
    const text = await readBy(at((url) => url.searchParams.set('sslmode', 'require')))
    expectSentence(text, 'it does not offer encrypted connections', 'turn on ssl in Postgres')
  })

  test('a server whose connections are all taken is explained', async () => {
    const clients: pg.Client[] = []
    try {
      for (let taken = 0; taken < 6; taken++) {
        const client = new pg.Client({ connectionString: postgres.url })
        clients.push(client)
        await client.connect()
      }
      expectSentence(await readBy(postgres.url), 'all of its connections are taken', 'raise max_connections')
    } finally {
      await Promise.all(clients.map((client) => client.end()))
    }
  })
})

/** Returns a URL of a server that does this with each connection once it has sent something. */
async function scripted(script: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => script(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://someone:canary@127.0.0.1:${port}/none`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An ErrorResponse of Postgres' protocol. */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}

describe('of a server on a socket', () => {
  test.each<[string, (socket: Socket) => void, string, string]>([
    ['resets', (socket) => socket.resetAndDestroy(), 'it closed the connection', 'check that the port'],
    ['closes', (socket) => socket.end(), 'it closed the connection', 'check that the port'],
    [
      'speaks HTTP',
      (socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'),
      'it closed the connection',
      'check that the port',
    ],
    [
      'is starting',
      (socket) => socket.end(refusal('57P03', 'the database system is starting up')),
      'it is starting, stopping or recovering',
      'wait until it is ready',
    ],
    [
      'is shut down',
      (socket) => socket.end(refusal('57P01', 'terminating connection due to administrator command')),
      'it was shut down, or ended this connection',
      'start it',
    ],
    [
      'demands encryption',
      (socket) => socket.end(refusal('28000', 'no pg_hba.conf entry for host "x", user "someone", no encryption')),
      'it accepts encrypted connections only',
      'put sslmode=require into DATABASE_URL',
    ],
    [
      'wants another way to sign in',
      (socket) => socket.write(Buffer.from('R\0\0\0\x15\0\0\0\x0aOAUTHBEARER\0\0', 'latin1')),
      'signing in to it failed',
      'use scram-sha-256',
    ],
  ])('one that %s is explained', async (_, script, why, advice) => {
    await using server = await scripted(script)
    const text = await readBy(server.url)
    expect(text).toMatch(/^tidemark: the database at 127\.0\.0\.1:\d+ cannot be used: /)
    expect(text).toContain(why)
    expect(text).toContain(advice)
    expect(text).not.toMatch(/\n|canary/)
  })

  test('one that never answers is explained', async () => {
    await using server = await scripted(() => {})
    expectSentence(await readBy(server.url), 'it did not answer in time', 'check the host and the port')
  })

  test.each([
    ['self-signed', 'its certificate is not of a known authority', 'set NODE_EXTRA_CA_CERTS'],
    ['expired', 'its certificate is', ''],
  ])('one with a certificate that is %s is explained', async (name, why, advice) => {
    const fixture = (file: string) => readFile(new URL(`../../support/network/certificates/${file}`, import.meta.url))
    const [cert, key] = [await fixture(`${name}.pem`), await fixture(`${name}.test-only.key`)]
    await using server = await scripted((socket) => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => {})
    })
    const text = await readBy(`${server.url}?sslmode=require`)
    expect(text).toContain(why)
    expect(text).toContain(advice)
    expect(text).not.toMatch(/\n|canary/)
  })
})

test.each([
  ['postgres://u:canary@127.0.0.1:1/none', 'at 127.0.0.1:1 cannot be used: nothing accepts connections there; start'],
  ['postgres:///none?host=/nowhere/run', 'in /nowhere/run cannot be used: it has no socket in that folder; start'],
  ['postgres://u:canary@nowhere.invalid/none', 'at nowhere.invalid:5432 cannot be used: the name of its host'],
  [
    'postgres://u:canary@%2Fnowhere%2Frun/none',
    'in /nowhere/run cannot be used: it has no socket in that folder; start',
  ],
])('%s is explained', async (url, text) => {
  const said = await readBy(url)
  expect(said).toContain(`tidemark: the database ${text}`)
  expect(said).not.toMatch(/\n|canary/)
})

// Loopback has a route always.
test.each(['EHOSTUNREACH', 'ENETUNREACH'])('%s is explained', (code) => {
  const error = Object.assign(new Error(`connect ${code} 10.9.9.9:5432`), { code })
  const fault = connectionFault(error, 'postgres://u:canary@10.9.9.9/none')
  expectSentence(explain(fault), 'there is no route to it from here', 'correct the host in DATABASE_URL')
})

test('a fault of a statement is a bug, and no fault of the connection', () => {
  const error = Object.assign(new Error('relation "x" does not exist'), { code: '42P01' })
  expect(connectionFault(error, 'postgres://u@h/none')).toBeNull()
  const file = Object.assign(new Error(`ENOENT: no such file or directory, open '/nowhere'`), { code: 'ENOENT' })
  expect(connectionFault(file, 'postgres://u@h/none')).toBeNull()
})
