import { writeMonitor } from '../../../monitors/declared/write-monitor.ts'
import { specKindCalled } from '../../../monitors/kinds/spec-kinds.ts'
import { WriteMonitor, WrittenMonitor } from '../../../schema/monitor/written-monitor.ts'
import { RESOURCE_KINDS } from '../../../schema/resource-kind.ts'
import { joinPath } from '../../../schema/validation/issue.ts'
import { ok, route } from '../../http/route.ts'
import { validationError } from '../../http/validation-error.ts'

export const writeMonitorRoute = route({
  method: 'POST',
  path: '/v1/manifests',
  summary: 'Write a monitor as a manifest, a Pulumi program or a curl command',
  description:
    'Nothing is stored: the monitor is the one in the body. What may be secret is replaced, as in the manifest of a ' +
    'stored monitor: by references to a Secret, by secrets of the stack, or by a mask that no monitor may have. ' +
    'A body that cannot be created is refused, but what the plan allows is not looked at.',
  tag: 'Monitors',
  policy: 'monitors.read',
  body: WriteMonitor,
  bodyLimit: 'configuration',
  answers: { 200: { description: 'The text.', schema: WrittenMonitor } },
  beyond: true,
  async handle({ body: { kind: name, spec: given, as }, services: { egress } }) {
    const resource = RESOURCE_KINDS.find(({ kind }) => kind === name)
    if (!resource) throw new Error(`the schema allows the kind ${name}, which no resource has`)
    const kind = specKindCalled(resource.declares)
    const checked = kind.check(given, { egress, isNew: true, mayBeMasked: true })
    if (checked.kind === 'invalid') {
      const issues = checked.issues.map(({ path, message }) => ({ path: within('spec', path), message }))
      throw validationError('body', issues)
    }
    const { text, secrets } = await writeMonitor(kind, checked.spec, as)
    return ok({ as, text, secrets: secrets.map(({ key, what }) => ({ key, what })) })
  },
})

/** Returns a path of a value within another one. */
const within = (outer: string, path: string) =>
  path === '' || path.startsWith('[') ? outer + path : `${joinPath('', outer)}.${path}`
