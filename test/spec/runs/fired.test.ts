import { describe, expect, test } from 'vitest'
import { startWatching, VALUE, type Watched } from '../../support/api/watching.ts'
import { forgetFired } from '../../support/database/change-runs.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { shared } from '../../support/run/shared.ts'

const watching = shared(() => startWatching())

const BELOW = { type: 'field_below', field: 'value', threshold: 10 }
const HOOK = { type: 'webhook', url: 'https://receiver.example/hook' }

const watch = (deliveries: readonly object[]) =>
  watching.watch({ value: 20 }, { extract_config: VALUE, diff_predicate: BELOW, deliveries })
const after = async (page: Watched, value: unknown, status?: number) => {
  page.set({ value }, undefined, status)
  return page.run()
}

describe('whether a run fired', () => {
  test.each<[string, readonly object[]]>([
    ['with a destination', [HOOK]],
    ['without one', []],
  ])('is known %s, beside whether it made a delivery', async (_title, deliveries) => {
    const page = await watch(deliveries)
    const isSent = deliveries.length > 0
    expect(page.baseline).toMatchObject({ fired: false, delivery_triggered: false })
    expect(await after(page, 15)).toMatchObject({ fired: false, delivery_triggered: false, diff: { after: {} } })
    expect(await after(page, 5)).toMatchObject({ fired: true, delivery_triggered: isSent })
    expect(await after(page, 5)).toMatchObject({ fired: false, delivery_triggered: false, diff: {} })
    expect(await after(page, 5, 404)).toMatchObject({ status: 'error', fired: false })
    const { data } = (await watching.served.me.get(`/v1/monitors/${page.id}/runs`)).body
    expect(data.map(({ fired }) => fired)).toEqual([false, false, true, false, false])
  })

  test('is null while the run is under way', async () => {
    const page = await watch([])
    await stopChecks(watching.served.api, page.id)
    const { run_id: id } = (await watching.served.me.post(`/v1/monitors/${page.id}/run`)).body
    const { status, fired } = (await watching.served.me.get(`/v1/runs/${id}`)).body
    expect([status, fired]).toEqual(['running', null])
  })

  test('is null where an earlier version recorded the run, unless it made a delivery', async () => {
    for (const [deliveries, known] of [
      [[], null],
      [[HOOK], true],
    ] as const) {
      const page = await watch(deliveries)
      const { id } = await after(page, 5)
      await forgetFired(watching.served.api, page.id)
      const { fired } = (await watching.served.me.get(`/v1/runs/${id}`)).body
      expect(fired).toBe(known)
    }
  })
})
