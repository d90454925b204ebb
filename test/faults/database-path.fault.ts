import { expect, onTestFinished, test } from 'vitest'
import { freshWorld } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { until } from './until.ts'

async function worldBehindProxy() {
  const world = await freshWorld()
  const proxy = await openTcpProxy(world.url)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const worker = await world.worker({ url: proxy.url })
  return { world, proxy, worker }
}

test('a connection cut for longer than a lease: what was found meanwhile is recorded when it is back', async () => {
  const { world, proxy } = await worldBehindProxy()
  await world.underLoad(async () => {
    await world.rounds(1)
    for (let n = 0; n < 3; n++) {
      proxy.cut()
      const before = world.pages.requests()
      // Nothing is claimed while it is cut: this outlasts the lease.
      await world.setClock(`${(n + 1) * 3} seconds`)
      await world.query('select pg_sleep(0.5)')
      expect(world.pages.requests() - before).toBeLessThan(world.monitors * 2)
      proxy.mend()
      await world.rounds(1)
    }
  })
  await world.caughtUp()
  await judgeInvariants(world, { faults: 3 })
})

test('a connection that takes 600 ms each way: slow, and right', async () => {
  const { world, proxy } = await worldBehindProxy()
  await world.worker()
  await world.underLoad(async () => {
    await world.rounds(1)
    proxy.delay(600)
    await world.rounds(2)
  })
  proxy.delay(0)
  await world.caughtUp()
  await judgeInvariants(world)
})

test.each([
  ['record_unchanged', 'half_sent'],
  ['record_readings', 'half_sent'],
  ['record_readings', 'unanswered'],
  ['record_deliveries', 'unanswered'],
  ['claim_checks', 'unanswered'],
  ['claim_deliveries', 'unanswered'],
] as const)('a connection that is reset at %s, %s: no run and no delivery is lost or made twice', async (text, at) => {
  const { world, proxy } = await worldBehindProxy()
  await world.underLoad(async () => {
    await world.rounds(1)
    proxy.resetAt(text, at, 2)
    await until(
      () => proxy.resets,
      (resets) => resets >= 3,
    )
    proxy.resetAt(null)
  })
  // Webhooks that were claimed and never heard of wait for their lease of half a minute. Ending it takes it from those
  // under way, too.
  const isUnheard = text === 'claim_deliveries'
  if (isUnheard) await world.setClock('31 seconds')
  await world.caughtUp()
  await judgeInvariants(world, { faults: isUnheard ? 1 : 0 })
})

test('connections that are reset after so many bytes of an answer: the same', async () => {
  const { world, proxy } = await worldBehindProxy()
  await world.underLoad(async () => {
    await world.rounds(1)
    for (let n = 0; n < 12; n++) {
      const resets = proxy.resets
      proxy.resetAfter(1 + world.chance.below(3000))
      await until(
        () => proxy.resets,
        (now) => now > resets,
      )
    }
    proxy.resetAfter(null)
  })
  await world.setClock('31 seconds')
  await world.caughtUp()
  await judgeInvariants(world, { faults: 1 })
})

test('connections that stay open and lead nowhere: the worker gives them up and takes new ones', async () => {
  const { world, proxy } = await worldBehindProxy()
  await world.underLoad(async () => {
    await world.rounds(2)
    proxy.blackHole()
    await world.rounds(1)
  })
  await world.setClock('31 seconds')
  await world.caughtUp()
  await judgeInvariants(world, { faults: 1 })
})

test(
  'records that are on their way for longer than a lease, and arrive while another worker has the checks: they ' +
    'change nothing.',
  async () => {
    // Long enough for a busy machine: it ends when the clock is set.
    const world = await freshWorld({ leaseSeconds: 20 })
    await using proxy = await openTcpProxy(world.url)
    const late = await world.worker({ url: proxy.url })
    await world.underLoad(() => world.rounds(1))
    await world.caughtUp()
    const allWait = () =>
      until(
        () => world.pages.waiting,
        (waiting) => waiting === world.monitors,
      )
    world.pages.hold()
    await allWait()
    await world.worker()
    for (let n = 0; n < world.monitors / 2; n++) world.pages.change(n)
    proxy.stall('record_unchanged', 'record_readings', 'extend_leases', 'claim_checks')
    world.pages.letGo()
    await until(
      () => Math.min(proxy.stalled('record_unchanged'), proxy.stalled('record_readings')),
      (records) => records > 0,
    )
    world.pages.hold()
    await world.setClock('21 seconds')
    await allWait()
    await proxy.flow()
    world.pages.letGo()
    await world.underLoad(() => world.rounds(1))
    await world.caughtUp()
    const [taken] = await world.query<{ n: number }>(
      `select count(*)::int as n from fault.check_steps where step = 'claim' and old_run is not null and who <> $1`,
      [late.role],
    )
    expect(taken?.n).toBe(world.monitors)
    await judgeInvariants(world)
  },
)
