import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { LOOK_LIMITS } from '../../../schema/monitor/look-limits.ts'
import { isLookCurrent, keepLook } from '../../../store/looks/looks.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
afterEach(() => outbox.query('delete from looks'))

async function keep(bytes = 10, teamId = outbox.teamId): Promise<string> {
  const id = randomUUID()
  const answer = Buffer.alloc(bytes)
  await keepLook(outbox.store, { id, teamId, image: null, seconds: 900, answer, fetched: null, rendered: null })
  return id
}
const isCurrent = (id: string) => isLookCurrent(outbox.store, { teamId: outbox.teamId, id })

test('of one team, so many looks are kept, and the oldest end before their time', async () => {
  const other = randomUUID()
  await keep(10, other)
  const ids: string[] = []
  for (let n = 0; n <= LOOK_LIMITS.perTeam; n++) {
    ids.push(await keep())
    await outbox.query(`update looks set created_at = created_at - interval '1 second'`)
  }
  expect(await Promise.all(ids.map(isCurrent))).toEqual([false, ...ids.slice(1).map(() => true)])
  const left = await outbox.query('select from looks where expires_at > clock() and team_id = $1', [other])
  expect(left.rows).toHaveLength(1)
})

test('of one team, so many bytes are kept', async () => {
  const half = LOOK_LIMITS.bytesPerTeam / 2
  const first = await keep(half)
  await outbox.query(`update looks set created_at = created_at - interval '1 second'`)
  const second = await keep(half)
  expect([await isCurrent(first), await isCurrent(second)]).toEqual([true, true])
  await keep(1)
  expect([await isCurrent(first), await isCurrent(second)]).toEqual([false, true])
})
