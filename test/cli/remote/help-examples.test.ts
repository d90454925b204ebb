import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { EXIT_CODES } from '../../../cli/exit-codes.ts'
import { REMOTE_COMMANDS } from '../../../cli/remote/remote-commands.ts'
import type { Delivery } from '../../../schema/run/delivery.ts'
import { table } from '../../../tools/generate/markdown.ts'
import { quietNow } from '../../support/api/quiet-now.ts'
import { status } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'
import { givenUp, type RemoteServer, startRemoteServer } from './remote-server.ts'

vi.setConfig({ testTimeout: 120_000 })

describe('the examples in the help of the commands over REST', () => {
  let remote: RemoteServer
  let variables = {}
  beforeAll(async () => {
    remote = await startRemoteServer()
    await writeFile(join(remote.folder, 'key.txt'), `${remote.key}\n`)
    await writeFile(join(remote.folder, 'password.txt'), `${remote.password}\n`)
    const hook = remote.site.page('/hook', status(400))
    const deliveries = [{ type: 'webhook', url: hook }]
    const labels = { env: 'prod' }
    await remote.watch('kettle', { labels, deliveries })
    // What it sends waits to be released.
    await remote.watch('pot', { labels, deliveries, quiet_hours: quietNow() })
    // The example that applies an export finds the address here.
    variables = { SECRET_KETTLE_DELIVERY_1_URL: hook }
    // A change for the backtests, and a delivery that is given up.
    remote.site.price('$2')
    await remote.sh('./tidemark run kettle pot --wait')
    await givenUp(remote, 1)
    // What the examples apply.
    await remote.sh('./tidemark export kettle --dir monitors')
    const search = { keyword: 'kettle', schedule_interval_seconds: 86_400, mode: 'full_analysis' }
    await remote.ask('POST', '/v1/serp-monitors', { name: 'rank', ...search })
  }, 120_000)
  afterAll(() => remote[Symbol.asyncDispose]())

  const examples = REMOTE_COMMANDS.flatMap(({ examples: lines }) => lines)

  test.each(examples)('%s', async (line) => {
    // What an example before it has released is not being sent any more.
    await eventually(
      () => remote.ask<{ data: Delivery[] }>('GET', '/v1/deliveries?status=pending'),
      ({ data }) => data.every(({ held }) => held !== undefined),
    )
    const { code, stderr } = await remote.sh(line.replace('https://tidemark.example.com', remote.base), variables)
    // The destination refuses what it is sent.
    const mayFail = line.startsWith('./tidemark diff -f monitors/') || line.startsWith('./tidemark test-delivery ')
    expect([code, stderr]).toEqual([mayFail && code === 1 ? 1 : 0, ''])
  })

  test('have no comment, which zsh takes for words where people type', () => {
    expect(examples.filter((line) => /(?:^|\s)#/.test(line))).toEqual([])
  })

  test.each(REMOTE_COMMANDS.map(({ name, examples: lines }) => [name, lines] as const))(
    'the help of %s shows its own',
    async (name, lines) => {
      const { stdout } = await remote.sh(`./tidemark ${name} --help`)
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) {
        expect(line).toContain(`./tidemark ${name}`)
        expect(stdout).toContain(`  $ ${line}\n`)
      }
    },
  )
})

describe('docs/command-line.md', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/command-line.md'), 'utf8')

  test('has every command with what it does', () => {
    const rows = REMOTE_COMMANDS.map(({ name, summary }) => [`\`${name}\``, summary])
    expect(page).toContain(table(['Command', 'What it does'], rows))
  })

  test('has every exit code with its meaning', () => {
    const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning])
    expect(page).toContain(table(['Code', 'Meaning'], rows))
  })
})
