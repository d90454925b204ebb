import { describe, expect, test } from 'vitest'
import { levelOf } from '../../../schema/level.ts'
import { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { sealedTarget } from '../../../store/deliveries/sealed-target.ts'

const SLACK = { type: 'slack', webhookUrl: 'https://a.example/' } as const
const HOOK = { type: 'webhook', url: 'https://a.example/' } as const
const MESSAGE = { text: 'a' }
const OWN = { text: 'own' }
const DAILY = { daily_at: '08:00', time_zone: 'Europe/Berlin' }
const HOURLY = { every_seconds: 3600 }
const labels = { env: 'prod' }

describe('A destination as it is sealed', () => {
  test('is as it was where its monitor adds nothing', () => {
    for (const config of [SLACK, HOOK]) {
      expect(sealedTarget(config, { labels })).toEqual(config)
      expect(levelOf(DeliveryConfig, sealedTarget(config, { labels }))).toBe(1)
    }
  })

  test('has the message of its monitor, or its own, with what that may name, and a level', () => {
    const sealed = sealedTarget(SLACK, { message: MESSAGE, labels, engine: 'bing' })
    expect(sealed).toEqual({ ...SLACK, message: MESSAGE, named: { labels, engine: 'bing' } })
    expect(levelOf(DeliveryConfig, sealed)).toBe(2)
    expect(sealedTarget({ ...SLACK, message: OWN }, { message: MESSAGE, labels }).message).toEqual(OWN)
  })

  test('has what was read of the fields that are named, and the beginning of a long value', () => {
    const values = { price: '$2', stock: 'x'.repeat(3_000), other: 1, list: ['a'.repeat(3_000)] }
    const message = { title: '{{fields.price.after}}', text: '{{fields.stock.after}} {{fields.list.after}}' }
    const { named } = sealedTarget(SLACK, { message, labels, values })
    expect(named).toEqual({
      labels,
      values: { price: '$2', stock: `${'x'.repeat(2_000)}…`, list: `${'a'.repeat(2_000)}…` },
    })
  })

  test('has whole values for strings of JSON that are one name, as far as a body has room for them', () => {
    const list = (characters: number) => ['a'.repeat(characters - 4)]
    const values = { first: list(60_000), second: list(50_000), third: list(30_000), fourth: list(3_000) }
    const body = JSON.stringify({
      ...Object.fromEntries(['first', 'second', 'third'].map((name) => [name, `{{fields.${name}.after}}`])),
      text: 'It is {{fields.fourth.after}}',
    })
    const { named } = sealedTarget({ ...HOOK, service: 'custom', body }, { labels, values })
    const cut = `${'a'.repeat(2_000)}…`
    expect(named?.values).toEqual({ first: values.first, second: cut, third: values.third, fourth: cut })
    const text = `${body.slice(0, -1)}`
    const ofText = sealedTarget({ ...HOOK, service: 'custom', body: text }, { labels, values })
    expect(ofText.named?.values).toEqual({ first: cut, second: cut, third: cut, fourth: cut })
  })

  test('has no message where nobody reads it', () => {
    for (const config of [HOOK, { ...HOOK, service: 'cloudevents' }] as const)
      expect(sealedTarget(config, { message: MESSAGE, labels })).toEqual(config)
  })

  test('has the digest of its monitor, or its own, and a level', () => {
    const sealed = sealedTarget(SLACK, { digest: DAILY, labels })
    expect(sealed).toEqual({ ...SLACK, digest: DAILY })
    expect(levelOf(DeliveryConfig, sealed)).toBe(2)
    expect(sealedTarget({ ...SLACK, digest: HOURLY }, { digest: DAILY, labels }).digest).toEqual(HOURLY)
    expect(sealedTarget(SLACK, { digest: null, labels })).toEqual(SLACK)
  })

  test('has no digest where each change comes by itself', () => {
    for (const config of [HOOK, { ...HOOK, service: 'cloudevents' }, { ...HOOK, service: 'custom' }] as const)
      expect(sealedTarget(config, { digest: DAILY, labels })).toEqual(config)
  })

  test('has what a body may name', () => {
    const config = { ...HOOK, service: 'custom', body: '{{monitor.labels.env}}' } as const
    expect(sealedTarget(config, { labels })).toEqual({ ...config, named: { labels } })
  })
})
