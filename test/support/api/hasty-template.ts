import type { Template } from '../../../schema/monitor/template.ts'

/** A template with a shorter interval than a monitor may have. None of the fifteen has that. */
export const HASTY: Template = {
  slug: 'hasty',
  name: 'Every ten seconds',
  description: 'A template of the test.',
  category: 'test',
  audience: 'operator',
  example_url: 'https://example.com/hasty',
  config: {
    extract: { method: 'css', fields: { value: 'h1' } },
    diff_predicate: { type: 'any_field_changes' },
    schedule_interval_seconds: 10,
  },
  created_at: '2026-05-01T00:00:00.000Z',
}
