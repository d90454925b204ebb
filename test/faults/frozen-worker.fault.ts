import { expect, test } from 'vitest'
import { freshWorld } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'
import { until } from './until.ts'

test(
  'a worker frozen in the middle of checks, past its lease: another takes them, and what it records when it thaws ' +
    'changes nothing.',
  async () => {
    const world = await freshWorld()
    const frozen = await world.worker()
    world.pages.hold()
    await until(
      () => world.pages.waiting,
      (waiting) => waiting > world.monitors / 2,
    )
    frozen.signal('SIGSTOP')
    const held = await world.query<{ run_id: string }>('select run_id from checks where run_id is not null')
    world.pages.letGo()
    await world.worker()
    await world.underLoad(() => world.rounds(2))
    await world.caughtUp()
    frozen.signal('SIGCONT')
    await world.underLoad(() => world.rounds(3))
    await world.caughtUp()
    // The runs it held are on record under their own ids, by the other one.
    const taken = await world.query<{ n: number }>(
      `select count(*)::int as n from fault.check_steps where step = 'record' and who <> $1 and old_run = any($2)`,
      [frozen.role, held.map((row) => row.run_id)],
    )
    expect(taken[0]?.n).toBe(held.length)
    await judgeInvariants(world)
  },
)

test(
  'a worker frozen in the middle of deliveries: another sends them again, and the late answers are not taken for ' +
    'its own.',
  async () => {
    const world = await freshWorld()
    const frozen = await world.worker()
    // A destination that has answered well is sent more than one at a time.
    await world.underLoad(() => world.rounds(2).then(() => world.sink.hold()))
    await until(
      () => world.sink.waiting,
      (waiting) => waiting > 5,
    )
    frozen.signal('SIGSTOP')
    const held = world.sink.arrivals.filter(({ status }) => status === null).map(({ id }) => id)
    world.sink.answerWith(500)
    world.sink.letGo()
    world.sink.answerWith(204)
    await world.setClock('31 seconds')
    await world.worker()
    await world.caughtUp()
    // That a change has arrived does not say that its delivery is on record. Until another has claimed what the frozen
    // one holds, the fence is still its own, and it may record the 500: the destination did answer so.
    await until(
      () => world.query(`select id, status, due_at from deliveries where id = any($1) and status = 'pending'`, [held]),
      (left) => left.length === 0,
    )
    frozen.signal('SIGCONT')
    await world.underLoad(() => world.rounds(2))
    await world.caughtUp()
    // What has just arrived is claimed and pending until its answer is recorded.
    await until(
      () => world.query(`select id, due_at from deliveries where status = 'pending'`),
      (left) => left.length === 0,
    )
    const failed = await world.query(
      `select id, status, attempts, response_status, response_body from deliveries where status <> 'success'`,
    )
    expect(failed).toEqual([])
    const taken = await world.query<{ n: number }>(
      `select count(*)::int as n from fault.delivery_steps where step = 'record' and who <> $1 and id = any($2)`,
      [frozen.role, held],
    )
    expect(taken[0]?.n).toBe(held.length)
    await judgeInvariants(world, { faults: 1 })
  },
)
