import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { whatToDo } from '../../../cli/remote/what-to-do.ts'
import type { DeliveryTest } from '../../../schema/run/delivery-test.ts'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: RemoteServer
/** What the destination has got, and what it answers. */
const got: string[] = []
let hookStatus = 204
beforeAll(async () => {
  remote = await startRemoteServer()
  const url = remote.site.page('/hook/of-a-chat', (answer, asked) => {
    asked.setEncoding('utf8').on('data', (text: string) => got.push(text))
    answer.writeHead(hookStatus).end(hookStatus === 204 ? '' : 'no such token\u001b[31m')
  })
  await remote.watch('kettle', { deliveries: [{ type: 'webhook', url, headers: { 'X-Key': 'a long secret' } }] })
  await remote.watch('pot')
  await remote.watch('lid', { deliveries: [{ type: 'webhook', url, service: 'custom', body: '{"a": {{changes}}}' }] })
  await remote.watch('pan', {
    deliveries: [
      { type: 'webhook', url },
      { type: 'email', to: 'owner@tidemark.local' },
    ],
  })
}, 120_000)
afterAll(() => remote[Symbol.asyncDispose]())

describe('test-delivery', () => {
  test('shows what was sent without secrets, and that it was taken', async () => {
    const { code, stdout, stderr } = await remote.sh('./tidemark test-delivery kettle')
    expect([code, stderr]).toEqual([0, ''])
    const [sent = ''] = got
    const [head, ...lines] = stdout.split('\n')
    expect(head).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/\*{8}$/)
    expect(lines).toContain('X-Key: ********')
    const body = lines.filter((line) => /^ {2}[ {}]/.test(line)).join('\n')
    expect(JSON.parse(body)).toEqual(JSON.parse(sent))
    expect(JSON.parse(sent)).toMatchObject({ monitor: { name: 'kettle' }, test: true })
    expect(stdout).toMatch(/\nAnswer: 204 after \d+ ms\nThe destination took it\.\n$/)
  })

  test('warns of a body that looks like JSON and is none', async () => {
    const { code, stdout } = await remote.sh('./tidemark test-delivery lid')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^warning: body is sent as text, because it is not JSON: line 1, column 8: .*\n\nAnswer: 204/m,
    )
  })

  test('says what came back and what to do where it failed, and exits with 1', async () => {
    hookStatus = 403
    const { code, stdout } = await remote.sh('./tidemark test-delivery kettle')
    expect(code).toBe(1)
    expect(stdout).toContain('Answer: 403')
    expect(stdout).toContain('\n  no such token')
    expect(stdout).not.toContain('\u001b[31m')
    expect(stdout).toContain('It refuses the credentials: check the address, and the headers or options.')
    expect(stdout).toContain('A delivery with this result is given up.')
    const { code: ofJson, stdout: json } = await remote.sh('./tidemark test-delivery kettle --index 0 --json')
    expect([ofJson, (JSON.parse(json) as DeliveryTest).response_status]).toEqual([1, 403])
  })

  test('asks which destination is meant where there are several', async () => {
    const { code, stderr } = await remote.sh('./tidemark test-delivery pan')
    expect(code).toBe(2)
    expect(stderr).toContain('pan has 2 destinations; choose one:\n  --index 0   webhook http://127.0.0.1')
    expect(stderr).toContain('\n  --index 1   email owner@tidemark.local')
    const mail = await remote.sh('./tidemark test-delivery pan --index 1')
    expect(mail.code).toBe(1)
    expect(mail.stdout).toContain('This installation has no mail server')
  })

  test('sends nothing for a monitor without a destination', async () => {
    const { code, stderr } = await remote.sh('./tidemark test-delivery pot')
    expect([code, stderr]).toEqual([1, 'tidemark: pot has no destination, so it sends nothing\n'])
  })
})

describe('what to do', () => {
  const failed = { status: 'failed', is_final: true } as const

  test.each([
    [400, 'webhook', 'It does not understand the message: is this the address of a webhook?'],
    [404, 'slack', 'Nothing takes messages at this address: copy it again, or make another one.'],
    [401, 'discord', 'It refuses the credentials: check the address.'],
    [429, 'slack', 'It takes no more messages for now: try again later, or send fewer.'],
    [307, 'webhook', 'Redirects are not followed: use the address that it redirects to.'],
    [503, 'webhook', 'It failed by itself: its own log says why.'],
    [
      550,
      'email',
      'The mail server did not take it: check the address of the recipient, and the settings of the server.',
    ],
  ] as const)('with %i of a %s', (answer, type, advice) => {
    expect(whatToDo({ ...failed, response_status: answer }, type)[0]).toBe(advice)
  })

  test('is in the text of the result, where there is no answer', () => {
    expect(whatToDo({ status: 'failed', is_final: false, response_status: null }, 'webhook')).toEqual([
      'A delivery with this result is tried again.',
    ])
  })
})
