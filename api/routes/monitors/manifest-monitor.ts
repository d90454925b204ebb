import { monitorManifest } from '../../../core/custom-resource/monitor-manifest.ts'
import { isResourceName, resourceName } from '../../../core/custom-resource/resource-name.ts'
import { MonitorManifest } from '../../../schema/monitor/manifest.ts'
import { monitorSpec } from '../../../store/monitors/monitor-record.ts'
import { findMonitor, isOnlyOfItsName } from '../../../store/monitors/monitors.ts'
import { ok, okText, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { manifestYaml } from './manifest-yaml.ts'
import { noSuchMonitor } from './monitor-faults.ts'

export const manifestMonitorRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id/manifest',
  summary: 'Read a monitor as a Kubernetes manifest',
  description:
    'YAML, or JSON where Accept asks for application/json. Addresses of webhooks and values of headers are ' +
    'references to a Secret, which a comment in the YAML describes. Applied, it takes over the monitor.',
  tag: 'Monitors',
  policy: 'monitors.read',
  params: ById,
  answers: { 200: { description: 'The manifest.', schema: MonitorManifest, alsoAs: 'application/yaml' } },
  refusals: ['CONFLICT'],
  beyond: true,
  async handle({ params, principal: { teamId }, headers: { accept = '' }, services: { store, secrets } }) {
    const stored = await findMonitor(store, teamId, params.id)
    if (!stored) throw noSuchMonitor()
    const isAlone = isResourceName(stored.name) && (await isOnlyOfItsName(store, teamId, stored.name))
    const name = resourceName(stored, isAlone)
    const declared = monitorManifest({
      id: stored.id,
      spec: monitorSpec(stored, secrets),
      isPaused: stored.paused,
      name,
      adopts: stored.managed_by === 'api',
    })
    const vary = { vary: 'Accept' }
    return prefersJson(accept)
      ? { ...ok(declared.manifest), headers: vary }
      : { ...okText('application/yaml', manifestYaml(declared, name)), headers: vary }
  },
})

const prefersJson = (accept: string) => /\bapplication\/json\b/.test(accept) && !/yaml/.test(accept)
