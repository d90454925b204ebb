import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { endTeam } from '../../../store/accounts/end-account.ts'
import { row } from '../../../store/db/row.ts'
import { forgetOld } from '../../../store/maintenance/retention.ts'
import { createInstallation, type Person } from '../../support/database/installation.ts'
import { shared } from '../../support/run/shared.ts'

const installation = shared(createInstallation)

const forget = () => forgetOld(installation.store, new AbortController().signal)
const toDay = (days: number) =>
  installation.sql(
    `alter database "${new URL(installation.url).pathname.slice(1)}" set tidemark.clock_offset = '${days} days'`,
  )

/** A team with a monitor that has ended. */
async function endedTeam(): Promise<Person> {
  const person = await installation.person()
  await installation.monitor(person)
  await installation.store.transaction((tx) => endTeam(tx, person.teamId))
  return person
}

const id = row({ id: Type.String() })
const teams = () => installation.store.anyFirst(sql.type(id)`select id from teams`)

describe('the daily clean-up', () => {
  test('deletes a team that ended, a day later, when nothing refers to it any more', async () => {
    const other = await installation.person()
    const [{ teamId: gone }, { teamId: joined }, { teamId: paid }] = [
      await endedTeam(),
      await endedTeam(),
      await endedTeam(),
    ]
    await installation.sql(`
      insert into team_members (team_id, user_id, role) values ('${joined}', gen_random_uuid(), 'viewer');
      insert into invitation_mails (team_id, is_free) values ('${gone}', true);
      insert into credit_purchases (checkout_id, team_id, runs) values ('a', '${paid}', 1000)`)
    await toDay(0.9)
    expect(await forget()).toMatchObject({ monitors: 3, teams: 0 })
    await toDay(1.1)
    expect(await forget()).toMatchObject({ monitors: 0, teams: 1 })
    expect(await teams()).toEqual(expect.arrayContaining([other.teamId, joined, paid]))
    expect(await teams()).not.toContain(gone)

    await installation.sql(`delete from team_members where team_id = '${joined}'`)
    expect(await forget()).toMatchObject({ teams: 1 })
    expect(await teams()).not.toContain(joined)
  })
})
