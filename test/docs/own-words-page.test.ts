import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { MESSAGE_NAMES } from '../../schema/message/message.ts'
import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const page = readFileSync(new URL('../../docs/own-words.md', import.meta.url), 'utf8')

describe('The page of messages in own words', () => {
  test('shows a request that is valid', () => {
    const [, text = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
    const { deliveries } = parse(text) as { readonly deliveries: readonly unknown[] }
    expect(checkerOf(DeliveryConfig).validate(deliveries[0])).toMatchObject({ ok: true })
  })

  test('has every name of the table', () => {
    for (const name of Object.keys(MESSAGE_NAMES)) expect(page).toContain(`| \`${name}\` `)
  })
})
