import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'

/** A monitor with nothing that is optional. */
export const SPEC: MonitorSpec = {
  name: 'Prices',
  url: 'https://example.com/prices',
  schedule_interval_seconds: 600,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
  deliveries: [],
  template_slug: null,
  fetch_mode: 'auto',
  request_headers: null,
  request_config: null,
  visual_config: null,
  notify_on: [],
  quiet_hours: null,
  message: null,
  digest: null,
  isolation: 'shared',
  external_key: null,
  labels: {},
}
