import type { AppliedMigration, Migration } from './migrations.ts'

/**
 * The migrations from before 0.1.0, each with the first digits of its checksum. Developers have databases that these
 * made. One set of files took their place, and makes the same schema.
 */
const FORMER: readonly (readonly [name: string, checksum: string])[] = `
000001-clock-and-ids.sql d3b21e03d10ef79b
000002-accounts.sql 59cd84bcea8ec494
000003-monitors.sql 0011746b7e1d17b3
000004-runs.sql 5b9d108130f2902e
000005-deliveries-and-notices.sql 81115dd095288660
000006-quota.sql 38321ef61abb7a63
000007-pictures-and-prompts.sql 21a8491e6cd9d5b3
000008-installation.sql 9ddd8e0f0de39388
000009-identity.sql 9c1c28dda2ffa92e
000009-runner-pods.sql f1c5822547aaf1ed
000010-isolation.sql 14c4b875d0d6ee4d
000011-credits-given.sql 65b4bcd2c148b947
000012-wake-skipped-searches.sql e3ff5329b5d8f3cb
000013-previews.sql c9acbb5b32ba3ede
000014-unpaid-searches.sql 1c8a5c68b96fe26e
000015-previews-of-searches.sql 5ae2913f31df3569
000016-credits-of-a-run.sql c1532864e8eb3410
000017-next-run-inlined.sql 1e17c77e259f64fd
000018-turns-of-isolated-checks.sql d81805a8c283fc1d
000019-invitation-mails.sql c35352daa1e3426a
000020-configuration-bytes.sql 6fd8819dad9de3d2
000021-session-key.sql 8fda9a59f81c4a80
000022-deliveries-given-up.sql e537566820a85741
000023-declared-in.sql 990e9b7f148bbbfe
000024-render-missing.sql 13cf6143894382db
000025-answers-of-destinations.sql dccb5868aded654c
000026-kept-answers.sql ceddb93b8e7a3b23
000027-fired.sql a48055481f1a0910
000028-asked-work.sql 6d6cad4034c73a06
000029-work-levels.sql ade0791e742ff686
000030-layers.sql 52d5375b4268c95e
000031-overview.sql 33eea835e68c5ed5
000032-overview-counts.sql 2181656eda1ef128
000034-quiet-hours.sql 54c443c9f7f1f36e
000035-message.sql fd3566d33a19a1fa
000036-digest.sql 49a8e06771bcc83c
000037-mute.sql 2ffa1f64f7391973
000038-runner-token-exchange.sql 0999f913332ba1e3
`
  .trim()
  .split('\n')
  .map((line) => [line.slice(0, -17), line.slice(-16)] as const)

/** The last file of the set that took their place. */
const LAST_JOINED = '000011-installation.sql'
/** The last commit that has them. */
const LAST_COMMIT = 'c7176ab298'

/** The set leaves out what only processes of versions before used. */
const LEFT_OUT = `
  drop table previews;
  drop index deliveries_due_by_host;
  drop index notices_due_by_host;
  alter table baselines drop column lacking, drop column pending;
`

type AllAndApplied = [all: readonly Migration[], applied: readonly AppliedMigration[]]

/**
 * Returns a migration that brings a store to the joined set: it drops what the set leaves out, and writes the names of
 * the set in place of the former ones. Null: the former migrations, all of them and no other ones, did not make it.
 */
export function joining(...[all, applied]: AllAndApplied): Migration | null {
  if (applied.length !== FORMER.length || !applied.every(isFormer)) return null
  const joined = all.filter(({ name }) => name <= LAST_JOINED)
  const last = joined.pop()
  if (!last) return null
  const rows = joined.map(({ name, checksum }) => `('${name}', '${checksum}')`).join(', ')
  const written = `insert into migrations (name, checksum) values ${rows};`
  return { ...last, sql: `${LEFT_OUT}delete from migrations; ${written}` }
}

/** Returns what to do where some of the former migrations were applied, but not exactly all. Null: none was. */
export function formerFault(...[all, applied]: AllAndApplied): string | null {
  const isOfBoth = (one: AppliedMigration) => all.some(({ checksum }) => checksum === one.checksum)
  if (!applied.some((one) => isFormer(one) && !isOfBoth(one))) return null
  const missing = FORMER.filter(([name]) => !applied.some((one) => one.name === name && isFormer(one)))
  const other = applied.find((one) => !isFormer(one))
  const made = 'the database was made by a commit before 0.1.0'
  if (other) return `${made} that had ${other.name}, which this version does not know: use a new database`
  return (
    `${made}, and lacks ${missing.length} of the last migrations of that time, from ${missing[0]?.[0]} on: ` +
    `start commit ${LAST_COMMIT} on it once and then this version, or use a new database`
  )
}

const isFormer = ({ name, checksum }: AppliedMigration): boolean =>
  FORMER.some(([former, digits]) => former === name && checksum?.startsWith(digits))
