import { describe, expect, test } from 'vitest'
import { MonitorCreate } from '../../../schema/monitor/monitor.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { dearness } from '../../support/run/dearness.ts'

const BODY = 19_970
const TEXT = 4_000
const fill = (unit: string, most: number) => unit.repeat(Math.floor(most / unit.length))
const jsonOf = (unit: string) => `[${fill(`"${unit}",`, BODY - 10)}1]`

/** Texts with as many names, faults and strings as fit. */
const UNITS = {
  'braces that begin a name': '{{',
  'empty names': '{{}}',
  'names that there are not': '{{a}}',
  'names with many steps': `{{${fill('a.', 1_000)}a}}`,
  'fields that are missing': '{{fields.b.after}}',
  'names that are valid': '{{run.id}}',
  'names in brackets': String.raw`{{fields["\""].after}}`,
  'characters of four bytes': '👍{{',
}

describe('25 destinations with the longest messages and bodies', () => {
  test.each(Object.entries(UNITS))('full of %s cost a multiple of their parsing', (_, unit) => {
    const bodies = [fill(unit, BODY), jsonOf(unit.replaceAll('\\', '').replaceAll('"', String.raw`\"`))]
    const monitor = {
      name: 'Kettle',
      url: 'https://example.com/',
      schedule_interval_seconds: 600,
      extract_config: { method: 'css', fields: { price: '.price' } },
      diff_predicate: { type: 'any_field_changes' },
      message: { title: fill(unit, 200) || unit, text: fill(unit, TEXT) },
      deliveries: Array.from({ length: 25 }, (_each, at) => ({
        ...{
          type: 'webhook',
          service: 'custom',
          url: 'https://example.com/',
          body: bodies[at % bodies.length]?.replace(/^./, (first) => `${first}${' '.repeat(at)}`),
        },
        message: { text: fill(unit, TEXT - 25) + ' '.repeat(at) },
      })),
    }
    const text = JSON.stringify(monitor)
    const checked = () => checkerOf(MonitorCreate).validate(JSON.parse(text), { defaults: true })
    expect(JSON.stringify(checked()).length).toBeLessThan(2 * text.length + 100_000)
    expect(dearness(checked, text)).toBeNull()
  })
})
