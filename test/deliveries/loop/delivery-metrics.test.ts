import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createDeliveryMetrics } from '../../../deliveries/loop/delivery-metrics.ts'

test('the metrics of deliveries count attempts by type and outcome, and name no address', async () => {
  const registry = new Registry()
  const metrics = createDeliveryMetrics(registry)
  metrics.claimed(1_500)
  metrics.active(3)
  metrics.attempted('webhook', { kind: 'answered', status: 204, body: null }, 20)
  metrics.attempted('webhook', { kind: 'answered', status: 503, body: null }, 20)
  metrics.attempted('webhook', { kind: 'no_answer', message: 'https://secret.example/ is away' }, 15_000)
  metrics.recorded(2, 1)
  metrics.storeFault()
  const text = await registry.metrics()
  expect(text).toContain('tidemark_delivery_lateness_seconds_sum 1.5')
  expect(text).toContain('tidemark_deliveries_active 3')
  expect(text).toContain('tidemark_delivery_attempts_total{type="webhook",outcome="2xx"} 1')
  expect(text).toContain('tidemark_delivery_attempts_total{type="webhook",outcome="5xx"} 1')
  expect(text).toContain('tidemark_delivery_attempts_total{type="webhook",outcome="no_answer"} 1')
  expect(text).toContain('tidemark_delivery_stale_results_total 1')
  expect(text).toContain('tidemark_delivery_store_faults_total 1')
  expect(text).not.toContain('secret.example')
})
