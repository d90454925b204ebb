import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Kind } from '../../../monitors/kinds/kind.ts'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import { SEARCH } from '../../../monitors/kinds/search-kind.ts'
import type { Transaction } from '../../../store/db/client.ts'
import { targetKey } from '../../../store/deliveries/delivery-row.ts'
import { insertMonitors } from '../../../store/monitors/monitor-create.ts'
import { lockMonitor, saveMonitor } from '../../../store/monitors/monitor-edit.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const EGRESS = { allowed: [], denied: [] } as never
const hook = (name: string) => ({ type: 'webhook', url: `https://${name}.example/hook` }) as const
const BOTH = { name: 'Kettle', schedule_interval_seconds: 3_600, deliveries: [hook('a'), hook('b')] }
const PAGE_BODY = {
  ...BOTH,
  url: 'https://shop.example',
  extract_config: { method: 'full_page' },
  diff_predicate: { type: 'any_field_changes' },
}
const SEARCH_BODY = { ...BOTH, keyword: 'kettle', engine: 'bing', mode: 'full_analysis' }

test.each([
  ['a page', PAGE as Kind, PAGE_BODY],
  ['a search', SEARCH as Kind, SEARCH_BODY],
])('an edit of %s ends what is known of destinations that it leaves out, and of no others', async (_, kind, body) => {
  const teamId = await database.team()
  const checked = kind.check(body, { egress: EGRESS })
  if (checked.kind !== 'valid') throw new Error(JSON.stringify(checked))
  const { spec } = checked
  const store = (tx: Transaction) =>
    insertMonitors(tx, database.secrets, kind.table, [
      { teamId, userId: randomUUID(), spec, declared: { by: 'kubernetes', suspended: false } },
    ])
  const [stored] = await database.store.transaction(store)
  if (!stored) throw new Error('the record was not stored')
  await database.query('insert into dead_destinations (monitor_no, target_key) select $1, unnest($2::text[])', [
    stored.no,
    [hook('a'), hook('b')].map(targetKey),
  ])
  const dead = () => database.query('select target_key from dead_destinations where monitor_no = $1', [stored.no])
  const edit = (patch: object) =>
    database.store.transaction(async (tx) => {
      const now = await lockMonitor(tx, teamId, stored.id, kind.table)
      if (!now) throw new Error('the record is gone')
      const before = kind.table.spec(now, database.secrets)
      const after = { ...before, ...patch }
      return saveMonitor(tx, database.secrets, kind.table, { stored: now, spec: after, ...kind.change(before, after) })
    })

  const keys = () => database.query('select destination_keys as keys from monitors where no = $1', [stored.no])
  expect(await keys()).toEqual([{ keys: null }])
  await edit({ name: 'The kettle' })
  expect(await dead()).toHaveLength(2)
  expect(await keys()).toEqual([{ keys: [hook('a'), hook('b')].map(targetKey) }])
  await edit({ deliveries: [hook('c'), hook('b')] })
  expect(await dead()).toEqual([{ target_key: targetKey(hook('b')) }])
  await edit({ deliveries: [] })
  expect(await dead()).toEqual([])
  expect(await keys()).toEqual([{ keys: [] }])
})
