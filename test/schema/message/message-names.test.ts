import { describe, expect, test } from 'vitest'
import { bodyIssues, messageIssues } from '../../../schema/message/message-issues.ts'
import { textTemplate } from '../../../schema/message/message-template.ts'
import { MESSAGE_NAMES } from '../../../schema/message/message.ts'

const PAGE = { kind: 'page', fields: ['price', 'the price', 'Größe'] } as const
const SEARCH = { kind: 'serp', fields: [] } as const

/** The columns and the sentences of what is wrong with a text. */
const faultsOf = (text: string, by: typeof PAGE | typeof SEARCH = PAGE) =>
  messageIssues({ text }, by).map(({ message }) => message)

describe('the names of a message', () => {
  test.each([
    ['{{monitor.name}}'],
    ['{{ monitor.labels.env }} and {{monitor.labels["a/b.c"]}}'],
    ['{{fields.price.before}} → {{fields.price.after}} ({{fields.price.change}})'],
    ['{{fields["the price"].after}} {{ fields[ "price" ].after }}'],
    ['{{fields.Größe.after}}'],
    ['{{lists.price.added}} {{lists.price.removed}} {{lists.price.moved}}'],
    ['{{changes}} {{text.excerpt}} {{visual.change_pct}} {{run.id}} {{run.url}} {{fired_at}}'],
    ['no name, } and { and }} are text'],
  ])('%s is valid', (text) => {
    expect(faultsOf(text)).toEqual([])
  })

  test('are those of the one table, each for its kind of monitor', () => {
    for (const [name, about] of Object.entries(MESSAGE_NAMES)) {
      const text = `{{${name.replace('monitor.labels.*', 'monitor.labels.env').replace('*', 'price')}}}`
      const of = 'of' in about ? about.of : null
      expect([name, faultsOf(text, PAGE).length === 0]).toEqual([name, of !== 'serp'])
      expect([name, faultsOf(text, SEARCH).length === 0]).toEqual([name, of !== 'page'])
    }
  })

  test.each([
    ['{{monitor.nam}}', ['column 3: monitor.nam is no name that a message has']],
    ['😀 {{monitor}}', ['column 5: monitor is no name that a message has']],
    ['{{fields.price.later}}', ['column 3: fields.price.later is no name that a message has']],
    ['{{fields.prise.after}}', ['column 10: extract_config has no field "prise"']],
    ['{{lists["the prise"].added}}', ['column 8: extract_config has no field "the prise"']],
    [
      '{{constructor}} {{__proto__}}',
      ['column 3: constructor is no name that a message has', 'column 19: __proto__ is no name that a message has'],
    ],
    ['{{serp.rank}}', ['column 3: serp.rank is a name of other monitors: this one has no serp']],
  ])('%s names what there is not', (text, faults) => {
    expect(faultsOf(text)).toEqual(faults)
  })

  test.each([
    ['{{', 3],
    ['{{}}', 3],
    ['a {{ 1 }} b', 6],
    ['{{fields.}}', 10],
    ['{{fields.the price.after}}', 14],
    ['{{fields[the price].after}}', 9],
    ['{{fields["a\nb"].after}}', 9],
    ['{{monitor.name', 15],
    ['{{monitor.name}', 15],
    ['{{fields.price.after | upper}}', 22],
    ['{{#each fields}}', 3],
  ])('%j is wrong at its column', (text, column) => {
    const [fault = ''] = faultsOf(text)
    expect(fault).toMatch(new RegExp(`^column ${column}: `))
  })

  test('are all looked at, also behind a fault', () => {
    expect(faultsOf('{{a b}} {{monitor.name}} {{}}').map((fault) => fault.split(':', 1)[0])).toEqual([
      'column 5',
      'column 28',
    ])
    expect(textTemplate('{{a b}} {{monitor.name}}').parts).toHaveLength(2)
  })

  test('of a body are found in the strings of JSON, with columns of the body', () => {
    const body = '{"{{key}}": ["\\u00e9\\"{{monitor.nam}}", "{{fields[\\"the prise\\"].after}}"]}'
    const columnOf = (text: string) => body.indexOf(text) + 1
    expect(bodyIssues(body, PAGE)).toEqual([
      { path: '', message: `column ${columnOf('monitor.nam')}: monitor.nam is no name that a message has` },
      { path: '', message: `column ${columnOf('[\\"the')}: extract_config has no field "the prise"` },
    ])
  })
})
