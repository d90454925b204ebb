import { describe, expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import { createFromTemplate } from '../../monitors/create-from-template.ts'
import { createMonitor } from '../../monitors/create-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import { countMonitors } from '../../store/monitors/monitors.ts'
import { SPEC } from '../support/api/monitor-spec.ts'
import { createInstallation } from '../support/database/installation.ts'
import { shared } from '../support/run/shared.ts'

const installation = shared(createInstallation)

const mails = (count: number): DeliveryConfig[] =>
  Array.from({ length: count }, (_, n) => ({ type: 'email', to: `reader${n}@example.com` }))

describe('creating a monitor', () => {
  test('stores it, with its audit line, and wakes the workers', async () => {
    const person = await installation.person()
    const before = installation.wakes
    const outcome = await createMonitor(installation.context, PAGE, { ...person, spec: SPEC })
    expect(outcome).toMatchObject({ kind: 'done', monitor: { name: 'Prices', user_id: person.userId } })
    expect(await installation.audit(person)).toMatchObject([
      { action: 'monitor.created', target_label: 'Prices', actor_label: person.actor.label, metadata: {} },
    ])
    expect(installation.wakes).toBe(before + 1)
  })

  test('with more deliveries than the plan allows is over the cap: nothing is stored and nobody is woken', async () => {
    const person = await installation.person('free')
    const before = installation.wakes
    const outcome = await createMonitor(installation.context, PAGE, {
      ...person,
      spec: { ...SPEC, deliveries: mails(2) },
    })
    expect(outcome).toEqual({ kind: 'over_cap', tier: 'free', cap: 1, wanted: 2 })
    expect(await countMonitors(installation.store, PAGE_TABLE, { teamId: person.teamId })).toBe(0)
    expect(await installation.audit(person)).toEqual([])
    expect(installation.wakes).toBe(before)
  })

  test('within a transaction of the caller is undone with it, its audit line too', async () => {
    const person = await installation.person()
    const cancelled = installation.store.transaction(async (store) => {
      expect(await createMonitor({ ...installation.context, store }, PAGE, { ...person, spec: SPEC })).toMatchObject({
        kind: 'done',
      })
      throw new Error('the caller thinks better of it')
    })
    await expect(cancelled).rejects.toThrow('thinks better')
    expect(await countMonitors(installation.store, PAGE_TABLE, { teamId: person.teamId })).toBe(0)
    expect(await installation.audit(person)).toEqual([])
  })
})

describe('creating a monitor from a template', () => {
  const egress = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
  const choose = async (slug: string, url?: string) => {
    const choice = { ...(await installation.person()), slug, wishes: url === undefined ? {} : { url } }
    return createFromTemplate({ ...installation.context, egress }, choice)
  }

  test('says which template there is not, and which address is missing or may not be asked', async () => {
    expect(await choose('no-such-template')).toEqual({ kind: 'not_found', what: 'template' })
    expect(await choose('generic-json-field')).toMatchObject({ kind: 'invalid', issues: [{ path: 'url' }] })
    expect(await choose('generic-json-field', 'http://10.0.0.1/')).toMatchObject({
      kind: 'invalid',
      issues: [{ path: 'url' }],
    })
    expect(await choose('generic-json-field', 'https://example.com/')).toMatchObject({
      kind: 'done',
      monitor: { template_slug: 'generic-json-field', url: 'https://example.com/' },
    })
  })
})
