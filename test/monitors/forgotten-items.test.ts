import pg from 'pg'
import { sql } from 'slonik'
import { expect, test } from 'vitest'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import type { MonitorPatch } from '../../schema/monitor/monitor.ts'
import { nothing } from '../../store/db/row.ts'
import { findSeenItems, keepSeenItems } from '../../store/queue/seen-items.ts'
import { endLeases } from '../support/database/check-states.ts'
import { createInstallation, type Person } from '../support/database/installation.ts'
import { eventually } from '../support/run/eventually.ts'
import { shared } from '../support/run/shared.ts'

const installation = shared(createInstallation)

const UNSEEN = { type: 'list_gains_unseen_items', field: 'jobs' } as const
const OTHER: MonitorPatch = { diff_predicate: { ...UNSEEN, forget_after_days: 9 } }

const edit = (person: Person, id: string, patch: MonitorPatch) =>
  editMonitor(installation.context, PAGE, { ...person, id, patch })

/** A monitor of new items, what a run of it has shown, and the fields of which that is stored. */
async function watched() {
  const person = await installation.person()
  const { teamId } = person
  const extract = { method: 'css', fields: { jobs: 'li[]' } } as const
  const { id, no } = await installation.monitor(person, { extract_config: extract, diff_predicate: UNSEEN })
  const shown = [{ no, team_id: teamId, field: 'jobs', key: Buffer.from('key'), items: Buffer.from('one') }]
  const kept = async () => [...(await findSeenItems(installation.store, { teamId, no, fields: ['jobs'] })).keys()]
  return { person, id, no, shown, kept }
}

const limitBytes = ({ teamId }: Person, limits: object) =>
  installation.sql(`update teams set limits = '${JSON.stringify(limits)}' where id = '${teamId}'`)

test('an edit of the predicate forgets what was shown, but not one that the team has no room for', async () => {
  const { person, id, shown, kept } = await watched()
  await installation.store.transaction((tx) => keepSeenItems(tx, shown))
  await limitBytes(person, { configurationBytes: 1 })
  expect(await edit(person, id, { ...OTHER, name: 'N'.repeat(200) })).toMatchObject({ kind: 'over_storage' })
  expect(await kept()).toEqual(['jobs'])
  await limitBytes(person, {})
  expect(await edit(person, id, OTHER)).toMatchObject({ kind: 'done' })
  expect(await kept()).toEqual([])
})

test('an edit of the predicate waits for a run that is being recorded, and forgets what that has shown', async () => {
  const { person, id, no, kept } = await watched()
  const recorder = new pg.Client({ connectionString: installation.url })
  await recorder.connect()
  await recorder.query('begin')
  // The order of a recorder.
  await endLeases(recorder, no)
  await recorder.query(`insert into seen_items (no, field, team_id, key, items) values ($1, 'jobs', $2, '', '')`, [
    no,
    person.teamId,
  ])
  const editing = edit(person, id, OTHER)
  await eventually(
    () =>
      installation.store.any(sql.type(nothing)`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    ({ length }) => length > 0,
  )
  await recorder.query('commit')
  await recorder.end()
  expect(await editing).toMatchObject({ kind: 'done' })
  expect(await kept()).toEqual([])
})
