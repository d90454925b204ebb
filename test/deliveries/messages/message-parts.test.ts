import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanText, isolate } from '../../../core/text/clean-text.ts'
import { movementNote } from '../../../core/text/movement-note.ts'
import { showValue } from '../../../core/text/show-value.ts'
import { readPayload } from '../../../deliveries/messages/message-payload.ts'
import { shorten, shortenBoth } from '../../../deliveries/messages/shorten.ts'
import { storyOf } from '../../../deliveries/messages/story.ts'
import { LINKS, payloadOf, RUN_URL } from '../../support/mail/mailbox.ts'

describe('a value in a message', () => {
  test.each([
    [null, 'nothing'],
    ['', 'empty text'],
    ['  two\r\n lines ', 'two lines'],
    [17.5, '17.5'],
    [true, 'true'],
    [[], 'empty list'],
    [['a', 2, null], 'a, 2, nothing'],
    [{}, 'empty object'],
    [{ name: 'Kettle', price: 17 }, 'name: Kettle, price: 17'],
    [[{ a: 1 }], '[{"a":1}]'],
    ['a\u202eb\u0000c\u2066', 'abc'],
    ['👩‍👩‍👧 שלום', '👩‍👩‍👧 שלום'],
  ])('%j is shown as %j', (value, shown) => {
    expect(showValue(value)).toBe(shown)
  })

  test('is one line without control characters, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (value) => !/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(showValue(value as never)),
      ),
    )
  })

  test('that runs from right to left is kept to itself, and no other is', () => {
    expect(isolate('مرحبا')).toBe('\u2068مرحبا\u2069')
    expect(isolate('hello')).toBe('hello')
    expect(cleanText('\u2068a\u2069')).toBe('a')
  })
})

describe('how far a number moved', () => {
  test.each([
    ['$19.99', '$17.49', '−12.5 %'],
    ['1.299,00 €', '1.199,00 €', '−7.7 %'],
    ["CHF 1'049,95", 'CHF 999,95', '−4.8 %'],
    ['€ 49/kg', '€ 46.55/kg', '−5 %'],
    ['50,- Kč', '55,- Kč', '+10 %'],
    ['R 950', 'R 1 200', '+26.3 %'],
    ['R12.50', 'R15.00', '+20 %'],
    ['Q12.50', 'Q15.00', '+20 %'],
    ['RM 50', 'RM 55', '+10 %'],
    ['Rs.500', 'Rs.550', '+10 %'],
    ['250 TL', '275 TL', '+10 %'],
    ['1.299 Ft', '1.399 Ft', '+7.7 %'],
    ['EUR 5', 'EUR 6', '+20 %'],
    ['ALL 12.50', 'ALL 15.00', '+20 %'],
    ['R$ 10', 'R$ 11', '+10 %'],
    ['100 р.', '110 р.', '+10 %'],
    ['$119. 95', '$99. 95', '−16.7 %'],
    ['3.2 %', '4.1 %', '+0.9 points'],
    ['-3.5%', '+2%', '+5.5 points'],
  ])('is said from %j to %j: %s', (before, after, note) => {
    expect(movementNote(before, after, false)).toBe(note)
  })

  test.each([
    [1.2, 1.3, '+8.3 %'],
    ['1.2', '1.3', '+8.3 %'],
    ['12 in stock', '9 in stock', '−25 %'],
    [-10, -5, '+50 %'],
    [100, 1150, '+1,050 %'],
    [100_000, 100_001, 'less than +0.1 %'],
    [0, 3, '+3'],
    ['#4', '#3', '−25 %'],
  ])('is said from %j to %j only where the predicate reads numbers: %s', (before, after, note) => {
    expect(movementNote(before, after, true)).toBe(note)
    expect(movementNote(before, after, false)).toBeNull()
  })

  test.each([
    ['R1.2', 'R1.3'],
    ['R1', 'R2'],
    ['R1.9', 'R1.10'],
    ['Q1', 'Q2'],
    ['1 q', '2 q'],
    ['5 r', '6 r'],
    ['Q 1', 'Q 2'],
    ['TOP 10', 'TOP 5'],
    ['ALL 12', 'ALL 14'],
    ['MOP 3', 'MOP 4'],
    ['FT1', 'FT2'],
    ['RM3', 'RM4'],
    ['TL 2', 'TL 3'],
    ['KN95', 'KN99'],
    ['DIN 912', 'DIN 931'],
    ['LV3', 'LV4'],
  ])('is not said from %j to %j: this is no price', (before, after) => {
    expect(movementNote(before, after, false)).toBeNull()
  })

  test.each([
    ['iPhone 15', 'iPhone 16'],
    ['v1.2', 'v1.3'],
    ['May 5', 'May 6'],
    ['2026-05-01', '2026-05-02'],
    ['12:30', '12:45'],
    ['$5', '€6'],
    ['sold out', '$5'],
    [null, 5],
    [[5], [6]],
    [5, 5],
    ['$5.0', '$5.00'],
  ])('is not said from %j to %j', (before, after) => {
    expect(movementNote(before, after, true)).toBeNull()
  })
})

describe('a text that is too long', () => {
  test('ends with the number of characters that were left out', () => {
    expect(shorten('a'.repeat(1_000), 100)).toBe(`${'a'.repeat(64)}… (936 characters left out)`)
    expect(shorten('a'.repeat(100), 100)).toBe('a'.repeat(100))
  })

  test('is never heavier than allowed and never cut within a character', () => {
    const weight = (character: string) => (character === '&' ? 5 : 1)
    const texts = fc.array(fc.constantFrom('a', '&', '👍', ' ', 'é'), { maxLength: 400 }).map((parts) => parts.join(''))
    const weigh = (text: string) => Array.from(text).reduce((sum, character) => sum + weight(character), 0)
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 60, max: 300 }), (before, after, max) => {
        for (const text of [shorten(before, max, weight), ...shortenBoth(before, after, max, weight)]) {
          expect(weigh(text)).toBeLessThanOrEqual(max)
          expect(text.isWellFormed()).toBe(true)
        }
      }),
    )
  })

  test('begins shortly before the first difference to the other one', () => {
    const common = 'The quick brown fox jumps over the lazy dog. '.repeat(40)
    const [before, after] = shortenBoth(`${common}It was red.`, `${common}It was blue.`, 200)
    expect(before).toBe('…over the lazy dog. It was red. (1,781 characters left out)')
    expect(after).toBe('…over the lazy dog. It was blue. (1,781 characters left out)')
  })
})

describe('the story of a delivery', () => {
  test('says how far a number moved where the predicate reads it as a number, also in a list of one', () => {
    const payload = payloadOf({ version: [1.2, 1.3], price: [['58210.40'], ['59374.61']] })
    const notes = (numeric_fields?: string[]) =>
      storyOf({ ...payload, ...(numeric_fields && { numeric_fields }) }, LINKS).changes.map(({ note }) => note)
    expect(notes()).toEqual([null, null])
    expect(notes(['price'])).toEqual([null, '+2 %'])
    expect(notes(['version', 'price'])).toEqual(['+8.3 %', '+2 %'])
  })

  const headline = (payload: Parameters<typeof storyOf>[0]) => storyOf(payload, LINKS).headline

  test('is said in one line, with the values where they are short', () => {
    expect(headline(payloadOf({ price: ['$19.99', '$17.49'] }))).toBe('Kettle: price $19.99 → $17.49 (−12.5 %)')
    expect(headline(payloadOf({ text: ['a'.repeat(90), 'b'] }))).toBe('Kettle: text changed')
    expect(headline(payloadOf({ price: [1, 2], stock: [1, 2] }))).toBe('Kettle: price and stock changed')
    expect(headline(payloadOf({ a: [1, 2], b: [1, 2], c: [1, 2], d: [1, 2] }))).toBe('Kettle: a, b and 2 more changed')
  })

  test('tells of a full page that its content changed, and not its hashes', () => {
    const story = storyOf(payloadOf({ content_hash: ['a'.repeat(64), 'b'.repeat(64)] }), LINKS)
    expect(story).toMatchObject({
      changes: [],
      notes: ['The content of the page changed.'],
      headline: 'Kettle: the content of the page changed',
    })
  })

  test('tells of a picture how much of it changed, alone or beside the fields', () => {
    const visual = { change_pct: 4.236, threshold_pct: 1 }
    const note = '4.24 % of the picture changed; the threshold is 1 %.'
    expect(storyOf(payloadOf({}, { visual }), LINKS)).toMatchObject({
      notes: [note],
      headline: 'Kettle: 4.24 % of the picture changed; the threshold is 1 %',
    })
    expect(storyOf(payloadOf({ price: [1, 2] }, { visual }), LINKS)).toMatchObject({
      notes: [note],
      headline: 'Kettle: price 1 → 2',
    })
  })

  test('leads to the run, under the dashboard with or without a path or a slash at its end', () => {
    const payload = payloadOf({})
    expect(storyOf(payload, LINKS).runUrl).toBe(RUN_URL)
    expect(storyOf(payload, { dashboardUrl: 'https://watch.example.com/' }).runUrl).toBe(RUN_URL)
    expect(storyOf(payload, { dashboardUrl: 'https://x.example/dash' }).runUrl).toMatch(
      /^https:\/\/x\.example\/dash\/monitors\//,
    )
  })

  test('makes no link of what is no web address', () => {
    expect(storyOf(payloadOf({}, { url: 'javascript:alert(1)' }), LINKS).page?.url).toBeNull()
  })

  test('is read from the stored text only when that has what a message needs', () => {
    expect(
      readPayload(JSON.stringify({ id: 'x', version: '2026-05-01', ...payloadOf({ price: [1, 2] }) }))?.monitor?.name,
    ).toBe('Kettle')
    expect(readPayload('{"hello":"world"}')).toBeNull()
    expect(readPayload('not JSON')).toBeNull()
  })
})
