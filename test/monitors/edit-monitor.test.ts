import { describe, expect, test } from 'vitest'
import { specChange } from '../../monitors/declared/spec-change.ts'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import type { MonitorPatch } from '../../schema/monitor/monitor.ts'
import { PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import { findMonitor } from '../../store/monitors/monitors.ts'
import { SPEC } from '../support/api/monitor-spec.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { createInstallation, type Person } from '../support/database/installation.ts'
import { shared } from '../support/run/shared.ts'

const installation = shared(createInstallation)

const edit = (person: Person, id: string, patch: MonitorPatch) =>
  editMonitor(installation.context, PAGE, { ...person, id, patch })

describe('editing a monitor', () => {
  test('names the changed keys in the audit line', async () => {
    const person = await installation.person()
    const { id } = await installation.monitor(person)
    const patch = { name: 'Other prices', url: SPEC.url, schedule_interval_seconds: 900 }
    expect(await edit(person, id, patch)).toMatchObject({ kind: 'done', monitor: { id, name: 'Other prices' } })
    expect(await installation.audit(person)).toMatchObject([
      { action: 'monitor.updated', target_id: id, metadata: { changed: ['name', 'schedule_interval_seconds'] } },
    ])
  })

  test('that changes nothing leaves no audit line', async () => {
    const person = await installation.person()
    const { id } = await installation.monitor(person)
    expect(await edit(person, id, { name: SPEC.name })).toMatchObject({ kind: 'done', monitor: { id } })
    expect(await installation.audit(person)).toEqual([])
  })

  test('that a Kubernetes resource owns is refused, and leaves it as it was', async () => {
    const person = await installation.person()
    const { id } = await installation.monitor(person)
    await changeMonitors(installation, id, { managedBy: 'kubernetes' })
    expect(await edit(person, id, { name: 'Mine' })).toEqual({
      kind: 'managed',
      by: 'kubernetes',
      name: 'Prices',
      resource: null,
      act: 'change',
    })
    expect(await findMonitor(installation.store, person.teamId, id, PAGE_TABLE)).toMatchObject({ name: 'Prices' })
    expect(await installation.audit(person)).toEqual([])
  })

  test('holds the merged record against the rules over two keys', async () => {
    const person = await installation.person()
    const { id } = await installation.monitor(person, { diff_predicate: { type: 'field_changes', field: 'price' } })
    expect(await edit(person, id, { extract_config: { method: 'css', fields: { title: 'h1' } } })).toMatchObject({
      kind: 'invalid',
      issues: [{ path: 'diff_predicate.field' }],
    })
  })

  test('of another team finds nothing', async () => {
    const { id } = await installation.monitor(await installation.person())
    expect(await edit(await installation.person(), id, { name: 'Mine' })).toEqual({
      kind: 'not_found',
      what: 'monitor',
    })
  })

  test('of one with more deliveries than a smaller plan allows is refused until they are reduced', async () => {
    const person = await installation.person()
    const deliveries = [1, 2, 3].map((n) => ({ type: 'email' as const, to: `reader${n}@example.com` }))
    const { id } = await installation.monitor(person, { deliveries })
    await installation.sql(`update teams set tier = 'free' where id = '${person.teamId}'`)
    expect(await edit(person, id, { deliveries: deliveries.slice(1) })).toEqual({
      kind: 'over_cap',
      tier: 'free',
      cap: 1,
      wanted: 2,
    })
    expect(await edit(person, id, { name: 'Renamed' })).toMatchObject({ kind: 'over_cap', wanted: 3 })
    expect(await edit(person, id, {})).toMatchObject({ kind: 'done' })
    expect(await edit(person, id, { name: 'Renamed', deliveries: deliveries.slice(2) })).toMatchObject({ kind: 'done' })
  })
})

describe('a change of configuration', () => {
  test.each([
    ['url', { url: 'https://example.com/other' }, true],
    ['extract_config', { extract_config: { method: 'full_page' as const } }, true],
    ['fetch_mode', { fetch_mode: 'browser' as const }, true],
    ['request_headers', { request_headers: { Accept: 'text/html' } }, true],
    ['name', { name: 'Other' }, false],
    ['diff_predicate', { diff_predicate: { type: 'field_changes' as const, field: 'price' } }, false],
    ['deliveries', { deliveries: [{ type: 'email' as const, to: 'reader@example.com' }] }, false],
  ])('of %s', (key, more, resetsBaseline) => {
    const startsOver = resetsBaseline
    expect(specChange(SPEC, { ...SPEC, ...more })).toEqual({ changed: [key], resetsBaseline, startsOver })
  })

  test.each([
    ['another value of a header', { Authorization: 'one' }, { Authorization: 'two' }, false],
    ['another case and order of names', { Accept: '*/*', Cookie: 'a' }, { cookie: 'b', accept: '*/*' }, false],
    ['no headers in place of null', null, {}, false],
    ['one header more', { Accept: '*/*' }, { Accept: '*/*', Cookie: 'a' }, true],
    ['another name', { Accept: '*/*' }, { Cookie: '*/*' }, true],
    ['headers that are gone', { Accept: '*/*' }, null, true],
  ])('to %s: the baseline is reset only with other names, and the check under way starts over', (...one) => {
    const [, before, after, resetsBaseline] = one
    const found = specChange({ ...SPEC, request_headers: before }, { ...SPEC, request_headers: after })
    expect(found).toEqual({ changed: ['request_headers'], resetsBaseline, startsOver: true })
  })

  test('is none when only the order of keys differs', () => {
    const fields = (first: string, second: string) => ({ [first]: `.${first}`, [second]: `.${second}` })
    const one = { ...SPEC, extract_config: { method: 'css' as const, fields: fields('a', 'b') } }
    const other = { ...SPEC, extract_config: { method: 'css' as const, fields: fields('b', 'a') } }
    expect(specChange(one, other)).toEqual({ changed: [], resetsBaseline: false, startsOver: false })
  })
})
