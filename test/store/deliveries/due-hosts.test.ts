import { afterEach, beforeAll, expect, test } from 'vitest'
import { claimDeliveries, dueHosts } from '../../../store/deliveries/delivery-queue.ts'
import { destinationKey, placeOf } from '../../../store/deliveries/delivery-row.ts'
import { dropDeliveries } from '../../support/database/change-deliveries.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
afterEach(async () => {
  await outbox.setClock(0)
  await dropDeliveries(outbox)
})

const urlOf = (host: string) => `https://${host}/hook`
const keyOf = (url: string) => destinationKey(outbox.teamId, { type: 'webhook', url })
let A: string
let B: string
beforeAll(() => {
  A = keyOf(urlOf('a.example'))
  B = keyOf(urlOf('b.example'))
})
const to = (key: string) => outbox.webhook(urlOf(placeOf(key).host.replace(':443', '')))

test('the round names each destination with something due, once, and none whose deliveries wait', async () => {
  await to(A)
  await to(A)
  const later = await to(B)
  await outbox.query(`update deliveries set due_at = clock() + interval '1 minute' where id = $1`, [later])
  expect(await dueHosts(outbox.store, '')).toEqual({ hosts: [A], digests: [], next: '' })
  await outbox.setClock(61)
  expect(await dueHosts(outbox.store, '')).toEqual({ hosts: [A, B], digests: [], next: '' })
  await outbox.query('update deliveries set due_at = null')
  expect(await dueHosts(outbox.store, '')).toEqual({ hosts: [], digests: [], next: '' })
})

test('the round says which of them send the first in one message with others', async () => {
  await outbox.addAll([
    outbox.row({
      type: 'webhook',
      url: 'https://chat.example/hooks/1',
      service: 'mattermost',
      digest: { every_seconds: 60 },
    }),
    outbox.row({ type: 'webhook', url: 'https://a.example/' }),
  ])
  await outbox.setClock(61)
  const { hosts, digests } = await dueHosts(outbox.store, '')
  expect(hosts).toHaveLength(2)
  expect(digests).toEqual(hosts.filter((host) => host.includes('chat.example')))
  await outbox.query(`update deliveries set digest = null`)
  expect((await dueHosts(outbox.store, '')).digests).toEqual([])
})

test('the round comes in pages of 500 that leave none out', async () => {
  const names = Array.from({ length: 1_100 }, (_, index) => `h${index}.example`)
  await outbox.addAll(names.map((name) => outbox.row({ type: 'webhook', url: `https://${name}/` })))
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await dueHosts(outbox.store, cursor)
    seen.push(...page.hosts)
    cursor = page.next
  } while (cursor !== '')
  expect(seen.toSorted()).toEqual(names.map((name) => keyOf(`https://${name}/`)).toSorted())
})

test.each(['deliveries', 'notices'] as const)('of %s, those above the level of a process are left', async (table) => {
  const [low, high, highest] = [await to(A), await to(A), await to(B)]
  if (table === 'notices')
    await outbox.query(`
      insert into notices (id, team_id, kind, type, target, host, payload, due_at)
      select id, team_id, 'failing', type, target, host, payload, due_at from deliveries`)
  await outbox.query(`update ${table} set level = 2, due_at = due_at - interval '1 hour' where id = $1`, [high])
  await outbox.query(`update ${table} set level = 3 where id = $1`, [highest])
  const claimed = async (level: number) => {
    const rooms = [A, B].map((host) => ({ host, room: 1 }))
    const all = await claimDeliveries(outbox.store, { rooms, limit: 10, leaseSeconds: 60, level }, table)
    return all.map(({ id }) => id)
  }
  expect(await dueHosts(outbox.store, '', table, 1)).toEqual({ hosts: [A], digests: [], next: '' })
  expect(await dueHosts(outbox.store, '', table, 3)).toEqual({ hosts: [A, B], digests: [], next: '' })
  expect(await claimed(1)).toEqual([low])
  expect(await claimed(1)).toEqual([])
  expect(await claimed(2)).toEqual([high])
  expect(await claimed(3)).toEqual([highest])
  await outbox.query('delete from notices')
})
