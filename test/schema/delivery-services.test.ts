import { describe, expect, test } from 'vitest'
import { levelOf } from '../../schema/level.ts'
import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import {
  addressOfOptions,
  isSecretOption,
  OPTION_LIMITS,
  SERVICE_NAMES,
  SERVICE_TABLE,
} from '../../schema/monitor/delivery-services.ts'
import { MASK, maskedDelivery } from '../../schema/monitor/mask.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const hook = (rest: object): object => ({ type: 'webhook', url: 'https://a.example/', ...rest })
const faults = (rest: object): readonly string[] => {
  const found = checkerOf(DeliveryConfig).validate(hook(rest))
  return found.ok ? [] : found.issues.map(({ path, message }) => `${path} ${message}`)
}
/** The options of each service as the manual shows them. */
const examples = SERVICE_NAMES.map((service) => {
  const { options } = SERVICE_TABLE[service]
  return { service, options: Object.fromEntries(Object.entries(options).map(([key, { example }]) => [key, example])) }
})

describe('The options of a service', () => {
  test.each(examples)('are taken as the manual shows them: $service', (given) => {
    expect(faults(given)).toEqual([])
  })

  test('are refused with their path where they are unknown, missing, or of another form', () => {
    expect(faults({ service: 'telegram', options: { chat: '1' } })).toEqual([
      'options.chat is not an option of telegram; it takes chat_id, message_thread_id, disable_notification ' +
        '(did you mean "chat_id"?)',
      'options.chat_id is required with service telegram',
    ])
    expect(faults({ service: 'telegram' })).toEqual(['options.chat_id is required with service telegram'])
    expect(faults({ service: 'telegram', options: { chat_id: 'a b' } })).toEqual([
      'options.chat_id must be a number, or @ and the name of a channel',
    ])
    expect(faults({ options: { chat_id: '1' } })).toEqual(['options options need a service'])
    expect(faults({ service: 'teams', headers: { 'x-a': '1' } })).toEqual([
      expect.stringMatching(/^headers headers have no use with service teams, telegram/),
    ])
    expect(faults({ service: 'telegrm', options: {} })).toEqual([expect.stringContaining('did you mean "telegram"')])
    expect(faults({ service: 'ntfy', options: { topic: 'a', token: 'a\r\nb: c' } })).toEqual([
      'options.token must be printable ASCII characters without a space',
    ])
  })

  test('are bounded in number, key and value, whatever the service', () => {
    const many = Object.fromEntries(Array.from({ length: OPTION_LIMITS.options + 1 }, (_, nth) => [`k${nth}`, '1']))
    expect(faults({ service: 'teams', options: many })).toEqual(['options must have at most 20 items'])
    const long = { topic: 'a', token: 'a'.repeat(OPTION_LIMITS.value + 1) }
    expect(faults({ service: 'ntfy', options: long })).toEqual(['options.token must have at most 2048 characters'])
    expect(faults({ service: 'ntfy', options: { ['k'.repeat(101)]: '1' } })).toEqual([
      expect.stringContaining('the name of an option has 1-100 characters'),
    ])
  })

  test('are masked where they are secret or not known', () => {
    const options = { topic: 'kettle', token: 'tk_1', priority: '4', later: 'x' }
    const config = hook({ service: 'ntfy', options }) as DeliveryConfig
    expect(maskedDelivery(config)).toMatchObject({
      service: 'ntfy',
      options: { topic: MASK, token: MASK, priority: '4', later: MASK },
    })
    expect(isSecretOption(undefined, 'chat_id')).toBe(true)
    expect(isSecretOption('constructor', 'chat_id')).toBe(true)
  })

  test('say where a message goes, in any order, without the token', () => {
    const one = addressOfOptions('telegram', { chat_id: '1', message_thread_id: '2' })
    expect(addressOfOptions('telegram', { message_thread_id: '2', chat_id: '1', disable_notification: 'true' })).toBe(
      one,
    )
    expect(addressOfOptions('telegram', { chat_id: '2' })).not.toBe(one)
    expect(addressOfOptions('matrix', { room_id: '!a', access_token: 'x' })).toBe(
      addressOfOptions('matrix', { room_id: '!a', access_token: 'y' }),
    )
  })
})

test('A destination with a service has level 2, and one without has level 1', () => {
  for (const given of examples) expect(levelOf(DeliveryConfig, hook(given))).toBe(2)
  expect(levelOf(DeliveryConfig, hook({ headers: { 'x-a': '1' } }))).toBe(1)
})
