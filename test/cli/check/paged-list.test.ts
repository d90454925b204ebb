import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configurationOf } from '../../../cli/check/configuration.ts'
import { runCheck } from '../../../cli/check/run-check.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { openSite } from '../../support/network/site.ts'

test('tidemark check --monitor reads a list that comes in pages as a run does', async () => {
  await using site = await openSite()
  site.answer((response, request) => {
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ items: page < 3 ? [{ id: page * 10 }, { id: page * 10 + 1 }] : [] }))
  })
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-check-'))
  const monitor = join(folder, 'monitor.json')
  await writeFile(
    monitor,
    JSON.stringify({
      name: 'All',
      url: site.url,
      schedule_interval_seconds: 60,
      extract_config: { method: 'json_path', fields: { ids: '$.items[*].id' } },
      diff_predicate: { type: 'any_field_changes' },
      request_config: { pagination: { type: 'page', in: 'query', param: 'page', items_path: 'items' } },
    }),
  )
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  let out = ''
  const configuration = await configurationOf(process, [], { monitor, json: true }, egress)
  const isSuccess = await runCheck(configuration, egress, {
    io: process,
    form: 'json',
    out: (text) => void (out += text),
    err: () => {},
  })
  expect(JSON.parse(out)).toMatchObject({ status: 'success', fields: { ids: [10, 11, 20, 21] } })
  expect(isSuccess).toBe(true)
  await rm(folder, { recursive: true })
})
