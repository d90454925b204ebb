import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { countRefused } from '../../boot/process/refused-connections.ts'
import { createLogger } from '../../core/logger.ts'

test('refused connections are counted for each port, and logged at most once a minute', async () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const registry = new Registry()
  const [api, metrics] = [countRefused({ registry, log }, 'api'), countRefused({ registry, log }, 'metrics')]
  for (let count = 0; count < 1_000; count += 1) api('192.0.2.1')
  expect(await registry.metrics()).toContain('tidemark_connections_refused_total{port="api"} 1000')
  expect(await registry.metrics()).toContain('tidemark_connections_refused_total{port="metrics"} 0')
  metrics('192.0.2.2')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', port: 'api', address: '192.0.2.1', refused: 1 },
    { level: 'warn', port: 'metrics', address: '192.0.2.2', refused: 1 },
  ])
})
