import { expect, onTestFinished, test } from 'vitest'
import { openTcpProxy } from '../support/network/tcp-proxy.ts'
import { until } from '../support/run/until.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

async function serviceBehindProxy() {
  const service = await freshService()
  const proxy = await openTcpProxy(service.url)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const worker = await service.worker({ url: proxy.url })
  return { service, proxy, worker }
}

test('a connection cut for longer than a lease: what was found meanwhile is recorded when it is back', async () => {
  const { service, proxy } = await serviceBehindProxy()
  await service.underLoad(async () => {
    await service.rounds(1)
    for (let n = 0; n < 3; n++) {
      proxy.cut()
      const before = service.pages.requests()
      // Nothing is claimed while it is cut: this outlasts the lease.
      await service.setClock(`${(n + 1) * 3} seconds`)
      await service.query('select pg_sleep(0.5)')
      expect(service.pages.requests() - before).toBeLessThan(service.monitors * 2)
      proxy.mend()
      await service.rounds(1)
    }
  })
  await service.caughtUp()
  await judgeInvariants(service, { faults: 3 })
})

test('a connection that takes 600 ms each way: slow, and right', async () => {
  const { service, proxy } = await serviceBehindProxy()
  await service.worker()
  await service.underLoad(async () => {
    await service.rounds(1)
    proxy.delay(600)
    await service.rounds(2)
  })
  proxy.delay(0)
  await service.caughtUp()
  await judgeInvariants(service)
})

test.each([
  ['record_unchanged', 'half_sent'],
  ['record_readings', 'half_sent'],
  ['record_readings', 'unanswered'],
  ['record_deliveries', 'unanswered'],
  ['claim_checks', 'unanswered'],
  ['claim_deliveries', 'unanswered'],
] as const)('a connection that is reset at %s, %s: no run and no delivery is lost or made twice', async (text, at) => {
  const { service, proxy } = await serviceBehindProxy()
  await service.underLoad(async () => {
    await service.rounds(1)
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
  if (isUnheard) await service.setClock('31 seconds')
  await service.caughtUp()
  await judgeInvariants(service, { faults: isUnheard ? 1 : 0 })
})

test('connections that are reset after so many bytes of an answer: the same', async () => {
  const { service, proxy } = await serviceBehindProxy()
  await service.underLoad(async () => {
    await service.rounds(1)
    for (let n = 0; n < 12; n++) {
      const resets = proxy.resets
      proxy.resetAfter(1 + service.chance.below(3000))
      await until(
        () => proxy.resets,
        (now) => now > resets,
      )
    }
    proxy.resetAfter(null)
  })
  await service.setClock('31 seconds')
  await service.caughtUp()
  await judgeInvariants(service, { faults: 1 })
})

test('connections that stay open and lead nowhere: the worker gives them up and takes new ones', async () => {
  const { service, proxy } = await serviceBehindProxy()
  await service.underLoad(async () => {
    await service.rounds(2)
    proxy.blackHole()
    await service.rounds(1)
  })
  await service.setClock('31 seconds')
  await service.caughtUp()
  await judgeInvariants(service, { faults: 1 })
})

test(
  'records that are on their way for longer than a lease, and arrive while another worker has the checks: they ' +
    'change nothing.',
  async () => {
    // Long enough for a busy machine: it ends when the clock is set.
    const service = await freshService({ leaseSeconds: 20 })
    await using proxy = await openTcpProxy(service.url)
    const late = await service.worker({ url: proxy.url })
    await service.underLoad(() => service.rounds(1))
    await service.caughtUp()
    const allWait = () =>
      until(
        () => service.pages.waiting,
        (waiting) => waiting === service.monitors,
      )
    service.pages.hold()
    await allWait()
    await service.worker()
    for (let n = 0; n < service.monitors / 2; n++) service.pages.change(n)
    proxy.stall('record_unchanged', 'record_readings', 'extend_leases', 'claim_checks')
    service.pages.letGo()
    await until(
      () => Math.min(proxy.stalled('record_unchanged'), proxy.stalled('record_readings')),
      (records) => records > 0,
    )
    service.pages.hold()
    await service.setClock('21 seconds')
    await allWait()
    await proxy.flow()
    service.pages.letGo()
    await service.underLoad(() => service.rounds(1))
    await service.caughtUp()
    const [taken] = await service.query<{ n: number }>(
      `select count(*)::int as n from fault.check_steps where step = 'claim' and old_run is not null and who <> $1`,
      [late.role],
    )
    expect(taken?.n).toBe(service.monitors)
    await judgeInvariants(service)
  },
)
