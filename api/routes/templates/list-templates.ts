import Type from 'typebox'
import { TEMPLATES } from '../../../core/templates/templates.ts'
import { Closed, Text } from '../../../schema/shape/shape.ts'
import { Template } from '../../../schema/monitor/template.ts'
import { ok, route } from '../../http/route.ts'

export const listTemplatesRoute = route({
  method: 'GET',
  path: '/v1/templates',
  summary: 'List templates',
  description:
    'Ready-made monitors to begin with. Categories are an open list: one that no template has gives an empty array.',
  tag: 'Templates',
  policy: 'templates.read',
  query: Closed({ category: Type.Optional(Text(1, 100)) }),
  answers: { 200: { description: 'The templates; not paginated.', schema: Type.Array(Template) } },
  async handle({ query: { category }, services: { templates = TEMPLATES } }) {
    return ok(templates.filter((template) => category === undefined || template.category === category))
  },
})
