import { sql } from 'slonik'
import Type from 'typebox'
import type { MonitorContext } from '../../../monitors/context.ts'
import type { Requester } from '../../../schema/account/audit.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { type MonitorRow, PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { insertMonitors } from '../../../store/monitors/monitor-create.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { SPEC } from '../api/monitor-spec.ts'
import { createTestDatabase } from './test-database.ts'
import { createTestOwner } from './test-owner.ts'
import { runOn } from './test-template.ts'

const event = row({
  action: Type.String(),
  target_id: Type.Union([Type.String(), Type.Null()]),
  target_label: Type.Union([Type.String(), Type.Null()]),
  actor_label: Type.String(),
  metadata: Type.Unknown(),
})

/** Somebody who asks, in a team of their own. */
export interface Person extends Requester {
  readonly userId: string
}

/** Use cases on a database of its own, without an API. */
export interface Installation {
  readonly store: Store
  readonly context: MonitorContext
  /** How often workers were woken. */
  readonly wakes: number
  person(plan?: Tier): Promise<Person>
  /** A stored monitor of the person, without an audit line. */
  monitor(person: Person, more?: Partial<MonitorSpec>): Promise<MonitorRow>
  /** The audit log of the person's team, apart from their first key; oldest first. */
  audit(person: Person): Promise<readonly object[]>
  /** The address of the database. */
  readonly url: string
  /** Runs one statement, as the superuser. */
  sql(statement: string): Promise<void>
  close(): Promise<void>
}

export async function createInstallation(): Promise<Installation> {
  const database = await createTestDatabase()
  const store = await openStore({ url: database.url, name: 'tidemark test', connections: 4 })
  const secrets = createSecretBox('a key of the tests, which is long enough')
  let wakes = 0
  let count = 0
  return {
    store,
    context: { store, secrets, wake: () => void (wakes += 1) },
    get wakes() {
      return wakes
    },
    async person(plan = 'scale') {
      count += 1
      const email = `person${count}@example.com`
      return asPerson(await createTestOwner(store, { email, plan, serp: false, sessionKey: 'a key of the tests' }))
    },
    monitor: ({ teamId, userId }, more = {}) =>
      store.transaction(async (tx) => {
        const [made] = await insertMonitors(tx, secrets, PAGE_TABLE, [{ teamId, userId, spec: { ...SPEC, ...more } }])
        if (!made) throw new Error('the team has ended')
        return made
      }),
    audit: ({ teamId }) =>
      store.any(sql.type(event)`
        select action, target_id, target_label, actor_label, metadata from audit_events
        where team_id = ${teamId} and actor_type <> 'system' order by created_at`),
    url: database.url,
    sql: (statement) => runOn(database.url, statement),
    async close() {
      await store.end()
      await database.drop()
    },
  }
}

const asPerson = ({ team_id: teamId, user_id: userId, email }: CreatedOwner): Person => ({
  teamId,
  userId,
  actor: { type: 'user', id: userId, label: email, ip: null },
})
