import { expect, test } from 'vitest'
import { until } from '../support/run/until.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

test(
  'a worker frozen in the middle of checks, past its lease: another takes them, and what it records when it thaws ' +
    'changes nothing.',
  async () => {
    const service = await freshService()
    const frozen = await service.worker()
    service.pages.hold()
    await until(
      () => service.pages.waiting,
      (waiting) => waiting > service.monitors / 2,
    )
    frozen.signal('SIGSTOP')
    const claimed = await service.query<{ run_id: string }>('select run_id from checks where run_id is not null')
    service.pages.letGo()
    await service.worker()
    await service.underLoad(() => service.rounds(2))
    await service.caughtUp()
    frozen.signal('SIGCONT')
    await service.underLoad(() => service.rounds(3))
    await service.caughtUp()
    // The runs it held are on record under their own ids, by the other one.
    const taken = await service.query<{ n: number }>(
      `select count(*)::int as n from fault.check_steps where step = 'record' and who <> $1 and old_run = any($2)`,
      [frozen.role, claimed.map((row) => row.run_id)],
    )
    expect(taken[0]?.n).toBe(claimed.length)
    await judgeInvariants(service)
  },
)

test(
  'a worker frozen in the middle of deliveries: another sends them again, and the late answers are not taken for ' +
    'its own.',
  async () => {
    const service = await freshService()
    const frozen = await service.worker()
    // A destination that has answered well is sent more than one at a time.
    await service.underLoad(() => service.rounds(2).then(() => service.sink.hold()))
    await until(
      () => service.sink.waiting,
      (waiting) => waiting > 5,
    )
    frozen.signal('SIGSTOP')
    const claimed = service.sink.arrivals.filter(({ status }) => status === null).map(({ id }) => id)
    service.sink.answerWith(500)
    service.sink.letGo()
    service.sink.answerWith(204)
    await service.setClock('31 seconds')
    await service.worker()
    await service.caughtUp()
    // That a change has arrived does not say that its delivery is on record. Until another has claimed what the frozen
    // one holds, the fence is still its own, and it may record the 500: the destination did answer so.
    await until(
      async () => (await service.unsent()).filter(({ id, status }) => claimed.includes(id) && status === 'pending'),
      (left) => left.length === 0,
    )
    frozen.signal('SIGCONT')
    await service.underLoad(() => service.rounds(2))
    await service.caughtUp()
    // What has just arrived is claimed and pending until its answer is recorded.
    await until(
      async () => (await service.unsent()).filter(({ status }) => status === 'pending'),
      (left) => left.length === 0,
    )
    expect(await service.unsent()).toEqual([])
    const taken = await service.query<{ n: number }>(
      `select count(*)::int as n from fault.delivery_steps where step = 'record' and who <> $1 and id = any($2)`,
      [frozen.role, claimed],
    )
    expect(taken[0]?.n).toBe(claimed.length)
    await judgeInvariants(service, { faults: 1 })
  },
)
