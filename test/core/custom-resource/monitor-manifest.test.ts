import { expect, test } from 'vitest'
import { monitorManifest } from '../../../core/custom-resource/monitor-manifest.ts'
import { toApiNames } from '../../../core/custom-resource/names.ts'
import { withSecrets } from '../../../core/custom-resource/with-secrets.ts'
import { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import { VARIANTS } from '../../../schema/shape/shape.ts'
import { nodeOf } from '../../../schema/shape/walk-schema.ts'
import { SPEC } from '../../support/api/monitor-spec.ts'

const EVERY = {
  quiet_hours: { from: '22:00', until: '07:00', time_zone: 'Europe/Berlin' },
  message: { title: 'Now {{fields.price.after}}', text: 'a' },
}
const digest = { daily_at: '08:00', time_zone: 'Europe/Berlin', days: ['mon', 'fri'] }
const DELIVERIES = [
  { type: 'webhook', url: 'https://a.example/', service: 'custom', body: '{"a": 1}', method: 'PUT', ...EVERY },
  { type: 'webhook', url: 'https://b.example/', service: 'gotify', options: { token: 'A0', priority: '1' }, digest },
  { type: 'webhook', url: 'https://c.example/', headers: { 'x-token': 'b0', accept: 'a/b' } },
  { type: 'slack', webhookUrl: 'https://d.example/', ...EVERY, digest },
  { type: 'discord', webhookUrl: 'https://e.example/', ...EVERY, digest },
  { type: 'email', to: 'a@example.com', ...EVERY, digest },
] as const

test('a manifest has every key of each destination, and leads back to it', () => {
  const spec = { ...SPEC, deliveries: DELIVERIES as unknown as DeliveryConfig[] }
  const { manifest, secrets } = monitorManifest({
    ...{ id: 'a', resource: resourceKindOf('page'), definition: MonitorSpec, name: 'kettle' },
    ...{ spec, isPaused: false, adopts: false },
  })
  for (const secret of ['https://a.example/', '{"a": 1}', 'A0', 'b0'])
    expect(JSON.stringify(manifest)).not.toContain(JSON.stringify(secret).slice(1, -1))
  const valueOf = ({ key }: { readonly key: string }) => secrets.find((one) => one.key === key)?.value ?? ''
  const resolved = withSecrets(manifest['spec'] as Readonly<Record<string, unknown>>, valueOf)
  expect(toApiNames(MonitorSpec, resolved)).toMatchObject({ deliveries: DELIVERIES })
})

test('the destinations of this test have every key that there is', () => {
  for (const [type, { allowed }] of Object.entries(nodeOf(DeliveryConfig)[VARIANTS]?.variants ?? {})) {
    const given = new Set(DELIVERIES.flatMap((one) => (one.type === type ? Object.keys(one) : [])))
    expect(allowed.filter((key) => !given.has(key))).toEqual([])
  }
})
