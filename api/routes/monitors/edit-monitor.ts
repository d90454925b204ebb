import { withDefaults } from '../../../schema/validation/defaults.ts'
import { Monitor, MonitorPatch, MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { changedKeys, lockMonitor, saveMonitor } from '../../../store/monitors/monitor-edit.ts'
import { monitorSpec, toMonitor } from '../../../store/monitors/monitor-record.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { noSuchMonitor, refuseManaged } from './monitor-faults.ts'
import { monitorIssues } from './monitor-issues.ts'
import { refuseDeliveriesOverCap, refuseIssues } from './refuse-configuration.ts'

const whole = checkerOf(MonitorSpec)

export const editMonitorRoute = route({
  method: 'PATCH',
  path: '/v1/monitors/:id',
  summary: 'Change a monitor',
  description:
    'Each key that is sent replaces the stored one whole; null clears what may be null. A change of url, ' +
    'extract_config, request_config, request_headers, fetch_mode or visual_config makes the next run a silent ' +
    'baseline.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  body: MonitorPatch,
  bodyOptional: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The monitor.', schema: Monitor } },
  async handle({ params, body, principal, actor, services }) {
    const { store, secrets } = services
    const { teamId } = principal
    const monitor = await store.transaction(async (tx) => {
      const stored = await lockMonitor(tx, teamId, params.id)
      if (!stored) throw noSuchMonitor()
      refuseManaged(stored)
      const before = monitorSpec(stored, secrets)
      const spec = merged(before, body)
      if (body.deliveries) await refuseDeliveriesOverCap(tx, teamId, spec)
      const changed = changedKeys(before, spec)
      if (changed.length === 0) return toMonitor(stored, secrets)
      const saved = await saveMonitor(tx, secrets, { stored, spec, changed })
      const target = { id: saved.id, label: saved.name }
      await recordAudit(tx, { teamId, actor, action: 'monitor.updated', target, metadata: { changed } })
      return toMonitor(saved, secrets)
    })
    services.poke()
    return ok(monitor)
  },
})

/**
 * The record as it will be. A key that is sent replaces the stored one whole, so what it leaves out inside has its
 * default again.
 */
function merged(before: MonitorSpec, patch: MonitorPatch): MonitorSpec {
  const checked = whole.validate(withDefaults(MonitorSpec, { ...before, ...patch }))
  if (!checked.ok) {
    refuseIssues(checked.issues)
    throw new Error('a record that is not valid has no issues')
  }
  return checked.value
}
