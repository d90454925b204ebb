import Type from 'typebox'
import { TEMPLATES } from '../../../core/templates/templates.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { createFromTemplate } from '../../../monitors/create-from-template.ts'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import { Monitor } from '../../../schema/monitor/monitor.ts'
import { FromTemplate, Template } from '../../../schema/monitor/template.ts'
import { Closed, Text } from '../../../schema/shape/shape.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { created, keyedRoute, ok, route } from '../../http/route.ts'
import { shownMonitor } from '../../presenters/shown.ts'

export const listTemplatesRoute = route({
  method: 'GET',
  path: '/v1/templates',
  summary: 'List templates',
  description: 'Ready-made monitors. Any category is accepted: a category without templates returns an empty array.',
  tag: 'Templates',
  policy: 'templates.read',
  query: Closed({ category: Type.Optional(Text(1, 100)) }),
  answers: { 200: { description: 'The templates; not paginated.', schema: Type.Array(Template) } },
  async handle({ query: { category }, services: { templates = TEMPLATES } }) {
    return ok(templates.filter((template) => category === undefined || template.category === category))
  },
})

export const createFromTemplateRoute = keyedRoute({
  method: 'POST',
  path: '/v1/monitors/from-template/:slug',
  summary: 'Create a monitor from a template',
  description:
    "Keys that the body does not have come from the template. `url` is required if the template's `example_url` " +
    'is null. An interval below 60 s is raised to 60 s.',
  tag: 'Templates',
  policy: 'monitors.write',
  params: Closed({ slug: Text(1, 100) }),
  body: FromTemplate,
  bodyLimit: 'configuration',
  takesKey: true,
  bodyOptional: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 201: { description: 'The monitor.', schema: Monitor } },
  async handle({ params: { slug }, body, principal, actor, services }) {
    const { teamId, userId } = principal
    const { monitor } = doneOf(await createFromTemplate(services, { teamId, actor, userId, slug, wishes: body }))
    return created(shownMonitor(PAGE, monitor, { services, principal }))
  },
})
