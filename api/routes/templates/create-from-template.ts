import { TEMPLATES } from '../../../core/templates/templates.ts'
import { MIN_INTERVAL_SECONDS, Monitor, MonitorCreate, type MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { Closed, Text } from '../../../schema/shape/shape.ts'
import { FromTemplate, type Template } from '../../../schema/monitor/template.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { apiError } from '../../http/api-error.ts'
import { created, route } from '../../http/route.ts'
import { createMonitor } from '../monitors/create-monitor.ts'
import { monitorIssues } from '../monitors/monitor-issues.ts'
import { refuseIssues } from '../monitors/refuse-configuration.ts'

export const createFromTemplateRoute = route({
  method: 'POST',
  path: '/v1/monitors/from-template/:slug',
  summary: 'Create a monitor from a template',
  description:
    "What the body does not give comes from the template; `url` has to be given when the template's `example_url` " +
    'is null. An interval below 60 s is raised to it.',
  tag: 'Templates',
  policy: 'monitors.write',
  params: Closed({ slug: Text(1, 100) }),
  body: FromTemplate,
  bodyOptional: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 201: { description: 'The monitor.', schema: Monitor } },
  async handle(call) {
    const { params, body, services } = call
    const template = (services.templates ?? TEMPLATES).find(({ slug }) => slug === params.slug)
    if (!template) throw apiError('NOT_FOUND', 'There is no such template.')
    const spec = specFrom(template, body)
    refuseIssues(monitorIssues({ url: spec.url }, [], services.egress))
    return created(await createMonitor(call, spec, { template_slug: template.slug }))
  },
})

/** The monitor that a template and a body make together, every default filled in. */
function specFrom({ slug, name, example_url, config }: Template, body: FromTemplate): MonitorSpec {
  const url = body.url ?? example_url
  if (url === null) {
    refuseIssues([{ path: 'url', message: 'is required: this template has no address of its own' }])
  }
  const checked = checkerOf(MonitorCreate).validate(
    {
      name,
      ...body,
      url,
      extract_config: config.extract,
      diff_predicate: config.diff_predicate,
      schedule_interval_seconds: Math.max(MIN_INTERVAL_SECONDS, config.schedule_interval_seconds),
      template_slug: slug,
    },
    { defaults: true },
  )
  // The body was checked before, so the fault is the template's.
  if (!checked.ok) throw new TypeError(`the template ${slug} makes no monitor: ${JSON.stringify(checked.issues)}`)
  return checked.value as MonitorSpec
}
