import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configurationOf } from '../../../cli/check/configuration.ts'
import type { CheckOptions } from '../../../cli/check/options.ts'
import { runCheck } from '../../../cli/check/run-check.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { openReceiver } from '../../support/worker/receiver.ts'

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const MONITOR = {
  name: 'Kettle',
  url: 'https://shop.example/kettle',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { title: 'h1', price: '.price' } },
  diff_predicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-message-'))
  await writeFile(join(folder, 'page.html'), '<h1>Kettle</h1><p class="price">$15.00</p><i>\u001b[31m</i>')
})
afterAll(() => rm(folder, { recursive: true }))

/** Checks the page as this monitor does. */
async function check(monitor: object, options: CheckOptions = {}): Promise<string> {
  const file = join(folder, 'monitor.json')
  await writeFile(file, JSON.stringify(monitor))
  let out = ''
  const asked = { message: true, monitor: file, ...options }
  await runCheck(await configurationOf(process, [join(folder, 'page.html')], asked, egress), egress, {
    io: process,
    form: options.json ? 'json' : 'table',
    out: (text) => void (out += text),
    err: () => {},
  })
  return out
}

describe('check --message', () => {
  test('shows the text of a message about what was read, and sends nothing', async () => {
    await using receiver = await openReceiver()
    const out = await check({ ...MONITOR, deliveries: [{ type: 'webhook', url: receiver.url }] })
    expect(out).toContain('Title: Kettle: price $19.99 → $15.00 (−25 %)')
    expect(out).toContain('\n    price\n      $19.99 → $15.00')
    expect(receiver.contacts).toBe(0)
  })

  test('shows the words and the bodies of deliveries that have their own', async () => {
    const chat = { type: 'webhook', url: 'https://chat.example/', service: 'mattermost' }
    const body =
      '{"was": "{{fields.price.before}}", "now": "{{fields.price.after}}", "title": "{{fields.title.after}}"}'
    const monitor = {
      ...MONITOR,
      message: { title: '{{monitor.name}} costs {{fields.price.after}}', text: 'Before: {{fields.price.before}}' },
      deliveries: [
        chat,
        { ...chat, message: { title: 'Cheaper', text: '{{fields.title.after}}: {{fields.price.change}}' } },
        { type: 'webhook', url: 'https://api.example/', service: 'custom', body },
      ],
    }
    const out = await check(monitor)
    expect(out).toContain('    Title: Kettle costs $15.00\n\n')
    expect(out).toContain('    Before: $19.99\n')
    expect(out).toMatch(/to deliveries\[1\]:\n\n {4}Title: Cheaper\n[^]*\n {4}Kettle: −25 %\n/)
    expect(out).toContain('to deliveries[2]:\n\n    {"was": "$19.99", "now": "$15.00", "title": "Kettle"}\n')
    const { message } = JSON.parse(await check(monitor, { json: true })) as { readonly message: object }
    expect(message).toMatchObject({
      title: 'Kettle costs $15.00',
      deliveries: [
        { index: 1, title: 'Cheaper' },
        { index: 2, body: expect.stringContaining('"now": "$15.00"') },
      ],
    })
  })

  test('says where a body that looks like JSON is none', async () => {
    const body = '{"price": {{fields.price.after}}}'
    const monitor = {
      ...MONITOR,
      deliveries: [{ type: 'webhook', url: 'https://api.example/', service: 'custom', body }],
    }
    const warning = 'is sent as text, because it is not JSON: line 1, column 12: '
    const out = await check(monitor)
    expect(out).toContain('to deliveries[0]:\n\n    {"price": $15.00}\n')
    expect(out).toContain(`\n  warning: deliveries[0].body ${warning}`)
    const { message } = JSON.parse(await check(monitor, { json: true })) as { readonly message: object }
    expect(message).toMatchObject({ warnings: [expect.stringContaining(warning)] })
  })

  test('is a part of the JSON', async () => {
    const { fields, message } = JSON.parse(await check(MONITOR, { json: true })) as {
      readonly fields: object
      readonly message: { readonly title: string; readonly text: string }
    }
    expect(fields).toEqual({ title: 'Kettle', price: '$15.00' })
    expect(message.title).toBe('Kettle: price $19.99 → $15.00 (−25 %)')
    expect(message.text).toContain('The page: https://shop.example/kettle')
  })

  test('tells of lists by their items, and of whole pages by their lines', async () => {
    const lists = { method: 'css', fields: { titles: 'h1[]' } }
    const any = { type: 'any_field_changes' }
    expect(await check({ ...MONITOR, extract_config: lists, diff_predicate: any })).toContain('+ Kettle')
    const page = { method: 'full_page' }
    expect(await check({ ...MONITOR, extract_config: page, diff_predicate: any })).toContain('1 line added, 1 removed.')
  })

  test('needs a monitor', async () => {
    await expect(configurationOf(process, ['page.html'], { message: true }, egress)).rejects.toThrow(
      'it needs --monitor',
    )
  })
})
