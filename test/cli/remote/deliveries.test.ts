import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { REMOTE_COMMANDS } from '../../../cli/remote/remote-commands.ts'
import { type Delivery, DELIVERY_STATUSES } from '../../../schema/run/delivery.ts'
import { eventually } from '../../support/run/eventually.ts'
import { givenUp, type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

const ANSWER = 'not today\u001b[31m'

let remote: RemoteServer
let kettle = ''
/** What the destination of the monitors answers. */
let hookStatus = 400
beforeAll(async () => {
  remote = await startRemoteServer()
  const url = remote.site.page('/hook/of-a-chat', (answer) => answer.writeHead(hookStatus).end(ANSWER))
  const deliveries = [{ type: 'webhook', url }]
  kettle = await remote.watch('kettle', { deliveries, external_key: 'shop/kettle' })
  await remote.watch('pot', { deliveries })
  remote.site.price('$2')
  await remote.sh('./tidemark run kettle pot --wait')
  await givenUp(remote, 2)
}, 120_000)
afterAll(() => remote[Symbol.asyncDispose]())

const one = async (name: string) => {
  const { stdout } = await remote.sh(`./tidemark deliveries ${name} --limit 1 -o name`)
  return stdout.trim()
}

describe('deliveries', () => {
  test('lists those of all monitors, newest first, with what the destination answered', async () => {
    const { code, stdout, stderr } = await remote.sh('./tidemark deliveries')
    expect([code, stderr]).toEqual([0, ''])
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^AGE +STATUS +NEXT +ANSWER +ID +MONITOR$/)
    expect(rows.map((row) => row.split(/ {2,}/).slice(1, 4))).toEqual([
      ['failed', 'given up', '400'],
      ['failed', 'given up', '400'],
    ])
    expect(rows.map((row) => row.split(/ +/).at(-1)).toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
      'kettle',
      'pot',
    ])
    const all = await givenUp(remote, 2)
    expect(rows.map((row) => row.split(/ {2,}/)[4])).toEqual(all.map(({ id }) => id))
  })

  test.each(['kettle', 'shop/kettle', 'monitor/kettle'])('of %s, only those of this monitor', async (name) => {
    const { stdout } = await remote.sh(`./tidemark deliveries ${name} --json`)
    const found = JSON.parse(stdout) as Delivery[]
    expect(found.map(({ monitor_id: id }) => id)).toEqual([kettle])
  })

  test('of a status, given up or not, and so many', async () => {
    const count = async (options: string) => {
      const { code, stdout } = await remote.sh(`./tidemark deliveries ${options} -o name`)
      return [code, stdout.split('\n').length - 1]
    }
    expect(await count('--status failed')).toEqual([0, 2])
    expect(await count('--status dead')).toEqual([0, 0])
    expect(await count('--given-up')).toEqual([0, 2])
    expect(await count('--given-up --limit 1')).toEqual([0, 1])
  })

  test('can be filtered by every status that a delivery has', () => {
    const { options = [] } = REMOTE_COMMANDS.find(({ name }) => name === 'deliveries') ?? {}
    expect(options.find(({ flags }) => flags.startsWith('--status'))?.choices).toEqual(DELIVERY_STATUSES)
  })

  test('YAML and JSON have the deliveries of the API with values that its lists cut', async () => {
    const long = 'a'.repeat(40_000)
    const url = remote.site.page('/long', (answer) => answer.end(`<p class="price">${long}</p>`))
    const hook = `${remote.site.origin}/hook/of-a-chat`
    const id = await remote.watch('long', { deliveries: [{ type: 'webhook', url: hook }], url })
    remote.site.page('/long', (answer) => answer.end(`<p class="price">b${long}</p>`))
    await remote.sh('./tidemark run long --wait')
    await givenUp(remote, 3)
    const { stdout } = await remote.sh('./tidemark deliveries long -o yaml')
    const [shown] = parse(stdout) as (Delivery & { payload: { diff: { after: { price: string } } } })[]
    expect([shown?.truncated, shown?.payload.diff.after.price.length]).toEqual([undefined, 40_001])
    await remote.ask('DELETE', `/v1/monitors/${id}`)
  })

  test('the address of a destination is masked for people', async () => {
    const { stdout } = await remote.sh('./tidemark deliveries kettle -o wide')
    expect(stdout).toContain(`${remote.site.origin}/********`)
    expect(stdout).toMatch(/ 1 of 6 +webhook /)
  })

  test('says that there are none, and that a monitor has no destination', async () => {
    const terminal = (line: string) => remote.sh(`script -qec 'NO_COLOR=1 ./tidemark ${line}' /dev/null`)
    expect((await terminal('deliveries --status dead')).stdout).toBe('There are no such deliveries.\r\n')
    await remote.watch('silent')
    const { code, stdout, stderr } = await remote.sh('./tidemark deliveries silent')
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toBe('silent has no destination, so it sends nothing.\n')
  })
})

describe('delivery', () => {
  test('shows its state in words, its attempts and the answer', async () => {
    const { code, stdout, stderr } = await remote.sh(`./tidemark delivery ${await one('kettle')}`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Monitor: +kettle$/m)
    expect(stdout).toMatch(/^Message: +a change$/m)
    expect(stdout).toMatch(/^Status: +failed: given up, because the destination refused it$/m)
    expect(stdout).toMatch(/^Attempts: +1 of 6$/m)
    expect(stdout).toMatch(/^Last attempt: +\S+ \(\d+[smh] ago\)$/m)
    expect(stdout).toMatch(/^Next attempt: +none$/m)
    expect(stdout).toMatch(/^Answer: +400\n {2}not today/m)
    expect(stdout).toContain(`webhook ${remote.site.origin}/********\n`)
    expect(stdout).not.toContain('\u001b')
  })

  test('as JSON it is the delivery of the API', async () => {
    const id = (await one('kettle')).replace('delivery/', '')
    const { stdout } = await remote.sh(`./tidemark delivery ${id} --json`)
    expect(JSON.parse(stdout)).toEqual(await remote.ask('GET', `/v1/deliveries/${id}`))
    expect((await remote.sh(`./tidemark delivery ${id} -o name`)).stdout).toBe(`delivery/${id}\n`)
  })

  test('an id that no delivery has, and what is no id, are refused', async () => {
    const none = await remote.sh(`./tidemark delivery ${kettle}`)
    expect(none).toEqual({
      code: 1,
      stdout: '',
      stderr: `tidemark: there is no delivery with the id ${kettle}; "./tidemark deliveries" shows the ids\n`,
    })
    const wrong = await remote.sh('./tidemark delivery kettle')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('"kettle" is not the id of a delivery') })
  })
})

describe('replay', () => {
  test('sends what failed again, and says of each that was refused why', async () => {
    const id = (await one('pot')).replace('delivery/', '')
    hookStatus = 200
    const { code, stdout, stderr } = await remote.sh(`./tidemark replay ${id} ${kettle}`)
    expect([code, stdout]).toEqual([1, `delivery ${id} is sent again\n`])
    expect(stderr).toContain(`there is no delivery with the id ${kettle}`)
    await eventually(
      () => remote.ask<Delivery>('GET', `/v1/deliveries/${id}`),
      ({ status }) => status === 'success',
    )
    const again = await remote.sh(`./tidemark replay delivery/${id}`)
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: `tidemark: delivery ${id}: It was delivered: only a failed or dead delivery can be sent again.\n`,
    })
    const shown = await remote.sh(`./tidemark delivery ${id}`)
    expect(shown.stdout).toMatch(/^Status: +success: the destination took it$/m)
  })

  test('prints what was done for programs', async () => {
    const id = (await one('kettle')).replace('delivery/', '')
    const { code, stdout } = await remote.sh(`./tidemark replay ${id} --json`)
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ id, queued: true }]])
  })

  test('a key that may only read is refused', async () => {
    const { DATABASE_URL, TIDEMARK_ENCRYPTION_KEY } = {
      DATABASE_URL: remote.databaseUrl,
      TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test',
    }
    const args = 'create-key --email owner@tidemark.local --name reader --scope read --json'
    const made = await remote.sh(`./tidemark admin ${args}`, { DATABASE_URL, TIDEMARK_ENCRYPTION_KEY })
    const { key } = JSON.parse(made.stdout) as { key: string }
    const { code, stderr } = await remote.sh(`./tidemark replay ${await one('kettle')}`, { TIDEMARK_API_KEY: key })
    expect([code, stderr]).toEqual([77, expect.stringContaining('scope')])
  })
})
