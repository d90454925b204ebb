import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../cli/boot/process/ports.ts'
import { commandLine } from '../../../cli/command-line.ts'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Each command is a process, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: RemoteServer
let kettle = ''
beforeAll(async () => {
  remote = await startRemoteServer()
  kettle = await remote.watch('kettle', { deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/a' }] })
}, 60_000)
afterAll(() => remote[Symbol.asyncDispose]())

test('tail shows the last runs, and each further run once', async () => {
  await using tail = remote.start('exec ./tidemark tail kettle --count 2')
  await tail.says(/ kettle success price: "\$1"\n/)
  remote.site.price('$2')
  await remote.ask('POST', `/v1/monitors/${kettle}/run`)
  await tail.says(/ kettle success .*price: "\$1" → "\$2"\n/)
  expect(await tail.exited).toBe(0)
  expect(tail.stdout.split('\n')).toHaveLength(3)
})

test('backtest shows on which changes a predicate would have fired, and why', async () => {
  const predicate = '{"type": "field_above", "field": "price", "threshold": 1.5}'
  const { code, stdout } = await remote.sh(`./tidemark backtest kettle --predicate '${predicate}'`)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^STARTED +FIRES +FIRED +CHANGED +WHY\n\S+ +yes +yes +price +\S.*\n1 of 1 changes fire\n$/)
  const wrong = await remote.sh(`./tidemark backtest kettle --predicate '{'`)
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--predicate must be JSON') })
  const unknown = await remote.sh(`./tidemark backtest kettle --predicate '{"type": "field_changes", "field": "x"}'`)
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('diff_predicate.field') })
})

describe('verify-webhook', () => {
  const signed = (secret: string, body: string) => {
    const at = Math.floor(Date.now() / 1_000)
    return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
  }

  test('says whether a webhook is verified by the secret of the monitor, and prints it', async () => {
    const { secret } = await remote.ask<{ secret: string }>('GET', `/v1/monitors/${kettle}/signing-secret`)
    await using receiver = remote.start(
      `exec ./tidemark verify-webhook kettle --port ${await freePort('127.0.0.1')} --count 2`,
    )
    const [, url = ''] = await receiver.says(/Waiting for webhooks at (\S+)\./)
    const send = (key: string) =>
      fetch(url, { method: 'POST', body: '{"a":1}', headers: { 'service-signature': signed(key, '{"a":1}') } })
    expect((await send(secret)).status).toBe(204)
    expect((await send('another')).status).toBe(400)
    expect(await receiver.exited).toBe(1)
    expect(receiver.stdout).toContain('\nverified\n{\n  "a": 1\n}\n')
    expect(receiver.stdout).toContain('not verified: the secret is another one')
    expect(receiver.stdout).not.toContain(secret)
  })

  test('a monitor without a webhook has no secret, which is said', async () => {
    await remote.watch('silent')
    const { code, stderr } = await remote.sh('./tidemark verify-webhook silent')
    expect([code, stderr]).toEqual([1, expect.stringContaining('silent has no webhook')])
  })

  test('without a monitor and a secret it says what is missing', async () => {
    const { code, stderr } = await remote.sh('./tidemark verify-webhook')
    expect([code, stderr]).toEqual([2, expect.stringContaining('TIDEMARK_WEBHOOK_SECRET')])
  })
})

describe('completion', () => {
  test('completes every command and its options in bash', async () => {
    const line = `bash -c 'source <(./tidemark completion bash); COMP_WORDS=(tidemark app); COMP_CWORD=1; _tidemark
      echo "\${COMPREPLY[@]}"; COMP_WORDS=(tidemark apply --pr); COMP_CWORD=2; _tidemark; echo "\${COMPREPLY[@]}"'`
    expect((await remote.sh(line)).stdout).toBe('apply\n--prune --profile\n')
    const { stdout } = await remote.sh('./tidemark completion bash')
    for (const command of commandLine('').commands) expect(stdout).toContain(`    ${command.name()})`)
  })

  test.each(['zsh', 'fish'])('names every command for %s', async (shell) => {
    const { stdout } = await remote.sh(`./tidemark completion ${shell}`)
    for (const command of commandLine('').commands) expect(stdout).toContain(command.name())
  })

  test('of another shell is refused', async () => {
    expect(await remote.sh('./tidemark completion csh')).toMatchObject({ code: 2 })
  })
})
