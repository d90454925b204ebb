import { template } from './template.ts'

export const statusPage = template({
  slug: 'status-page',
  name: 'Status page of a service',
  description:
    'Reports when a service that you depend on reports trouble, another incident, or that all is well again. Give ' +
    'the JSON summary of its status page: most hosted ones answer it at /api/v2/summary.json or, without ' +
    'incidents, at /api/v2/status.json.',
  category: 'status',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      fields: {
        indicator: '$.status.indicator',
        description: '$.status.description',
        incidents: '$.incidents[*].name',
      },
    },
    diff_predicate: { type: 'any_field_changes' },
    schedule_interval_seconds: 300,
  },
})
