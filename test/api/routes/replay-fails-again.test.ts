import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DELIVERY_DELAYS_SECONDS } from '../../../schema/run/delivery.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Receiver, reply } from '../../support/worker/receiver.ts'

const DEAD = 60
const OTHERS = 10
const ATTEMPTS = DELIVERY_DELAYS_SECONDS.length

/** The size of 5,000 is the bench's: bench/dashboard/replay-beside.ts. */
describe('many dead deliveries that are sent again and fail again', () => {
  let watching: Watching
  let broken: Receiver
  let sound: Receiver
  let others: readonly string[]
  const held: (() => void)[] = []
  let isHolding = true
  beforeAll(async () => {
    broken = await openReceiver((socket, request, nth) => {
      const answer = () => reply(503, 'not today')(socket, request, nth)
      if (isHolding) held.push(answer)
      else answer()
    })
    sound = await openReceiver()
    watching = await startWatching({ deliver: true })
    const { me, api } = watching.served
    const [to, other] = [broken, sound].map(({ url }) => ({ type: 'webhook', url }) as const)
    if (!to || !other) throw new Error('there is no receiver')
    const { id } = await createMonitor(me, { deliveries: [to, other] })
    const run = await seedRun(api.services, id, { triggered: true })
    const dead = { status: 'dead', attempts: ATTEMPTS } as const
    for (let nth = 0; nth < DEAD; nth += 1) await seedDelivery(api.services, run, { ...dead, config: to })
    const made: string[] = []
    for (let nth = 0; nth < OTHERS; nth += 1)
      made.push(await seedDelivery(api.services, run, { ...dead, config: other }))
    others = made
  })
  afterAll(async () => {
    await watching.close()
    await broken[Symbol.asyncDispose]()
    await sound[Symbol.asyncDispose]()
  })

  const counts = async (query = '') => (await watching.served.me.get(`/v1/deliveries/counts${query}`)).body
  /** Those to the destination that fails. */
  async function failing() {
    const { body } = await watching.served.me.get('/v1/deliveries?q=127.0.0.1&limit=100')
    return body.data.filter(({ destination }) => destination === broken.url)
  }
  const untilAttempted = (count: number) =>
    eventually(
      async () => (await failing()).filter(({ attempts }) => Number(attempts) === count).length,
      (ready) => ready === DEAD,
      { everyMs: 200 },
    )

  test('are tried as often as at first, given up again, and hold no other destination up', async () => {
    const { me } = watching.served
    expect(await counts()).toMatchObject({ dead: DEAD + OTHERS, given_up: DEAD + OTHERS })
    const [one] = await failing()
    const filter = { given_up: true, destination: String(one?.['destination_key']) }
    const { body } = await me.post('/v1/deliveries/replay', { filter, expected: DEAD })
    expect(body).toMatchObject({ queued: DEAD, failed: 0 })
    await eventually(
      async () => held.length,
      (count) => count > 0,
    )
    // The destination does not answer, and those to the other one arrive meanwhile, all of them.
    expect((await me.post('/v1/deliveries/replay', { ids: others })).body).toMatchObject({ queued: OTHERS })
    await eventually(
      async () => sound.requests.length,
      (count) => count === OTHERS,
    )
    expect(broken.requests.length).toBeLessThanOrEqual(5)
    isHolding = false
    for (const answer of held) answer()
    let passed = 0
    for (let nth = 1; nth <= ATTEMPTS; nth += 1) {
      await untilAttempted(nth)
      expect(broken.requests.length).toBe(DEAD * nth)
      passed += (DELIVERY_DELAYS_SECONDS[nth] ?? 0) + 60
      if (nth < ATTEMPTS) await watching.setClock(passed)
    }
    const ended = await failing()
    expect(ended).toHaveLength(DEAD)
    for (const delivery of ended)
      expect(delivery).toMatchObject({
        status: 'dead',
        attempts: ATTEMPTS,
        response_status: 503,
        next_attempt_at: null,
      })
    const perDelivery = Map.groupBy(broken.requests, ({ body: sent }) => String(JSON.parse(String(sent)).id))
    expect([...perDelivery.values()].map(({ length }) => length)).toEqual(Array.from({ length: DEAD }, () => ATTEMPTS))
    expect(await counts()).toMatchObject({ dead: DEAD, given_up: DEAD, success: OTHERS, pending: 0 })
    expect(await audited()).toEqual(new Set([...ended.map(({ id }) => id), ...others]))
  })

  /** Returns what was sent again, each once. */
  async function audited(): Promise<ReadonlySet<unknown>> {
    const owner = watching.served.as(watching.served.owner.session_token)
    const { body } = await owner.get('/v1/team/audit?action=delivery.replayed&limit=100')
    const found = body.data.map(({ target_id: id }): unknown => id)
    expect(found).toHaveLength(DEAD + OTHERS)
    return new Set(found)
  }
})
