import { expect, test } from 'vitest'
import { ANY } from '../../../core/prompt-shape/prompt-shape.ts'
import { readObject } from '../../../worker/prompts/read-answer.ts'

const number = [{ name: 'n', shape: { ...ANY, types: ['number'] as const }, required: true }]

test.each(['1e400', '-1e400', '9007199254740993'])(
  'a number that no double holds (%s) is kept as the model wrote it',
  (token) => {
    const kept = { ok: true, values: { n: token } }
    expect(readObject(`{"n": ${token}}`, [])).toMatchObject(kept)
    expect(readObject(`{"n": ${token}}`, number)).toMatchObject(kept)
  },
)

test('a text is no number to the schema, whatever it says', () => {
  expect(readObject('{"n": "1e400"}', number)).toMatchObject({ ok: false })
  expect(readObject('{"n": 0.5}', number)).toMatchObject({ ok: true, values: { n: 0.5 } })
})
