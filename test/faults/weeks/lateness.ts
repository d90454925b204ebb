import { until } from '../../support/run/until.ts'
import type { WeeksService } from './weeks-service.ts'

/** Milliseconds from the due time of a check to its claim. */
export interface Lateness {
  readonly median: number
  readonly p99: number
}

const ROUNDS = 3
/** The checks of a round are due one after the other in this time. */
const ROUND_SECONDS = 2

/** Makes the checks of plain pages due without a jump of the clock, and measures how late they are claimed. */
export async function measureLateness({ query, settled }: WeeksService): Promise<Lateness> {
  await query(NOTE_CLAIMS)
  for (let round = 1; round <= ROUNDS; round++) {
    const due = await query(SCHEDULE, [ROUND_SECONDS])
    await until(
      () => query<{ n: number }>('select count(*)::int as n from test.claims'),
      ([row]) => (row?.n ?? 0) >= due.length * round,
    )
    await settled()
  }
  const rows = await query<{ ms: number }>('select ms from test.claims order by ms')
  await query(FORGET_CLAIMS)
  const at = (part: number) => rows[Math.ceil(rows.length * part) - 1]?.ms ?? Number.NaN
  return { median: at(0.5), p99: at(0.99) }
}

const NOTE_CLAIMS = `
  create schema test;
  create table test.claims (ms float8);
  create table test.times as select no, next_run_at, due_at from checks;
  create function test.note_claim() returns trigger language plpgsql as $$
  begin
    insert into test.claims values (extract(epoch from clock() - old.due_at) * 1000);
    return null;
  end $$;
  create trigger note_claim after update on checks for each row when (old.run_id is null and new.run_id is not null)
    execute function test.note_claim()`

const SCHEDULE = `
  update checks c set due_at = d.at, next_run_at = d.at
  from (
    select no, clock() + make_interval(secs => 1 + $1 * (row_number() over (order by no))::float8 / count(*) over ())
      as at
    from checks where queue = 'static' and failures = 0 and due_at is not null
  ) d
  where c.no = d.no returning c.no`

/** The schedule goes on as if nothing had been. */
const FORGET_CLAIMS = `
  drop trigger note_claim on checks;
  update checks c set next_run_at = t.next_run_at, due_at = t.due_at from test.times t where t.no = c.no;
  drop schema test cascade`
