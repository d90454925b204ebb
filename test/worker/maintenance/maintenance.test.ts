import { pino } from 'pino'
import { sql } from 'slonik'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { row } from '../../../store/db/row.ts'
import { startMaintenance } from '../../../worker/maintenance/maintenance.ts'
import { createInstallation } from '../../support/database/installation.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'

const installation = shared(createInstallation)

const counts = row({ answers: Type.Integer(), events: Type.Integer() })
const left = () =>
  installation.store.one(sql.type(counts)`
    select (select count(*) from idempotent_answers)::int as answers,
      (select count(*) from audit_events)::int as events`)
const move = (offset: string) =>
  installation.sql(
    `alter database "${new URL(installation.url).pathname.slice(1)}" set tidemark.clock_offset = '${offset}'`,
  )

test('hours and days of the maintenance are those of the store’s clock', async () => {
  const { teamId } = await installation.person('free')
  const maintenance = await startMaintenance(installation.store, pino({ level: 'silent' }), {
    leaseSeconds: 60,
    others: [],
  })
  try {
    await installation.sql(`
      delete from audit_events;
      insert into audit_events (team_id, action, target_type, actor_type, actor_label)
        values ('${teamId}', 'monitor.created', 'monitor', 'system', 'test');
      insert into idempotent_answers (team_id, operation, key, answer) values ('${teamId}', 'a', 'b', '')`)
    // The first clean-up is behind it, and the next one is a day later.
    await move('2 minutes')
    expect(await left()).toEqual({ answers: 1, events: 1 })
    await move('25 hours')
    await eventually(left, ({ answers }) => answers === 0)
    await move('16 days')
    await eventually(left, ({ events }) => events === 0)
  } finally {
    await maintenance.stop()
  }
})
