import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { referenceIssues, withSecrets } from '../../core/custom-resource/with-secrets.ts'
import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { SERVICE_NAMES, SERVICE_TABLE } from '../../schema/monitor/delivery-services.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const page = readFileSync(new URL('../../docs/services.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(
  ([, text = '']) => parse(text) as { readonly deliveries: readonly Record<string, unknown>[] },
)

describe('The page of services', () => {
  test('has a block for each, in the order of the table', () => {
    expect(blocks.map(({ deliveries }) => deliveries[0]?.['service'])).toEqual(SERVICE_NAMES)
  })

  test.each(SERVICE_NAMES)('shows a destination of %s that is valid with its Secret', (name) => {
    const block = blocks.find(({ deliveries }) => deliveries[0]?.['service'] === name) ?? { deliveries: [] }
    expect(referenceIssues(block)).toEqual([])
    const options = SERVICE_TABLE[name].options
    const whole = withSecrets(block, ({ key }) => options[key]?.example ?? '')
    const [delivery] = whole['deliveries'] as readonly unknown[]
    expect(checkerOf(DeliveryConfig).validate(delivery)).toMatchObject({ ok: true })
  })
})
