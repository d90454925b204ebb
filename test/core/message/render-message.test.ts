import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namedTexts, render } from '../../../core/message/render-message.ts'
import { bodyTemplate, contentTypeOf, textTemplate } from '../../../schema/message/message-template.ts'
import type { Json } from '../../../schema/shape/json.ts'

const VALUES = {
  monitor: { name: 'Kettle "x"', labels: { env: 'prod' } },
  fields: { price: { before: null, after: 17.5, change: '−12.5 %' }, tags: { after: ['a', 'b'] } },
  run: { url: null },
}
const text = (given: string) => render(textTemplate(given), namedTexts(VALUES))
const body = (given: string) => render(bodyTemplate(given), namedTexts(VALUES))

describe('a text', () => {
  test('has the values instead of their names, and nothing for those that are missing', () => {
    expect(text('{{monitor.name}}: {{fields.price.before}} → {{fields.price.after}}, {{fields.tags.after}}.')).toBe(
      'Kettle "x":  → 17.5, a, b.',
    )
    expect(text('[{{run.url}}{{fields.other.after}}{{monitor.labels.none}}]')).toBe('[]')
    expect(text('nothing in {braces}')).toBe('nothing in {braces}')
  })

  test('never has what a value inherits', () => {
    expect(text('{{monitor.toString}}{{monitor.labels.constructor}}{{monitor.name.length}}')).toBe('')
  })
})

describe('a body', () => {
  test('of JSON keeps its bytes, and has a value with its type where a string is one name', () => {
    const given =
      '{ "n" : 1.0, "{{a}}":"{{fields.price.after}}",\n "t": "{{ fields.tags.after }}", ' +
      '"x":"\\u00e9 {{monitor.name}}" }'
    expect(body(given)).toBe('{ "n" : 1.0, "{{a}}":17.5,\n "t": ["a","b"], "x":"\\u00e9 Kettle \\"x\\"" }')
    expect(body('["{{fields.price.before}}", "{{fields.price.before}}!"]')).toBe('[null, "!"]')
    expect(body('"{{monitor.name}}"')).toBe('"Kettle \\"x\\""')
  })

  test('that is no JSON is a text', () => {
    expect(body('{{monitor.name}} = {{fields.tags.after}}')).toBe('Kettle "x" = a, b')
  })

  test('has the content type of what it is', () => {
    expect(contentTypeOf(bodyTemplate('{"a": "{{monitor.name}}"}'))).toBe('application/json')
    expect(contentTypeOf(bodyTemplate('a={{monitor.name}}'))).toBe('text/plain; charset=utf-8')
  })

  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('{{monitor.name}}', '"', '\\', '"}}', '\ud800', '\u2028', '", "admin": "yes'),
    fc.jsonValue() as fc.Arbitrary<Json>,
  )

  test('of JSON parses for every value, and differs only inside of that string', () => {
    fc.assert(
      fc.property(value, fc.jsonValue(), fc.string(), (after, other, key) => {
        const given = JSON.stringify({ [key]: other, x: ['a {{fields.price.after}} b', '{{fields.price.after}}'] })
        const values = { monitor: { name: 'never' }, fields: { price: { after } } }
        fc.pre(key !== 'x' && !JSON.stringify([key, other]).includes('{{'))
        const read = JSON.parse(render(bodyTemplate(given), namedTexts(values))) as Record<string, Json[]>
        const [inside, alone] = read['x'] ?? []
        expect({ ...read, x: null }).toEqual({ ...(JSON.parse(given) as object), x: null })
        expect(alone).toEqual(JSON.parse(JSON.stringify(after)))
        expect(inside).toMatch(/^a [^]* b$/)
        if (typeof after === 'string') expect(inside).toBe(`a ${after} b`)
      }),
    )
  })

  test('and a text keep a value with braces as it is', () => {
    fc.assert(
      fc.property(fc.string(), (around) => {
        const after = `${around}{{monitor.name}}${around}`
        const values = { monitor: { name: 'never' }, fields: { price: { after } } }
        expect(render(textTemplate('<{{fields.price.after}}>'), namedTexts(values))).toBe(`<${after}>`)
        expect(render(bodyTemplate('["{{fields.price.after}}"]'), namedTexts(values))).toBe(JSON.stringify([after]))
      }),
    )
  })
})
