import { type DeclaredMonitor, declareMonitor } from '../../../monitors/declared/declare-monitor.ts'
import { MonitorManifest } from '../../../schema/monitor/manifest.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { type Answer, ById, ok, okText, route } from '../../http/route.ts'
import type { ServedKind } from './served-kind.ts'

/** Returns the route that shows a monitor of one kind as a manifest. */
export const manifestRoute = ({ path, noun, tag, kind }: ServedKind) =>
  route({
    method: 'GET',
    path: `${path}/:id/manifest`,
    summary: `Read a ${noun} as a Kubernetes manifest`,
    description:
      'YAML, or JSON if Accept asks for application/json. Addresses of webhooks and values of headers are ' +
      'references to a Secret, which a comment in the YAML describes. Applying the manifest takes over the monitor.',
    tag,
    policy: 'monitors.read',
    params: ById,
    answers: { 200: { description: 'The manifest.', schema: MonitorManifest, alsoAs: 'application/yaml' } },
    refusals: ['CONFLICT'],
    beyond: true,
    async handle({ params, principal: { teamId }, headers, services }) {
      return shownManifest(doneOf(await declareMonitor(services, kind, { teamId, id: params.id })), headers)
    },
  })

/** Returns a manifest in the form that the client asks for. */
async function shownManifest(
  { declared, name }: DeclaredMonitor,
  { accept = '' }: { readonly accept?: string | undefined },
): Promise<Answer> {
  const vary = { vary: 'Accept' }
  if (prefersJson(accept)) return { ...ok(declared.manifest), headers: vary }
  // Few processes ever write YAML, and its package takes memory.
  const { manifestYaml } = await import('../../../manifests/manifest-yaml.ts')
  return { ...okText('application/yaml', manifestYaml(declared, name)), headers: vary }
}

const prefersJson = (accept: string) => /\bapplication\/json\b/.test(accept) && !/yaml/.test(accept)
