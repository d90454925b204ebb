import { expect, test } from 'vitest'
import { alertsOf, type Readings } from '../../../bench/full-page/verdicts.ts'

const BEFORE: Readings = { sent: 'a', text: 'a', rendered: 'a', hasScripts: true }
const SENT = 'hash as sent (today)'
const TEXT = 'text as sent (today, with `ignore`)'
const THEN = 'hash as sent, then rendered text'
const MIDDLE = 'the same, and text as sent without scripts'
const RENDERED = 'rendered text (today, `browser` and `ignore`)'

test.each([
  ['nothing', {}, []],
  ['the response alone', { sent: 'b' }, [SENT]],
  ['its text too', { sent: 'b', text: 'b', rendered: 'b' }, [SENT, TEXT, THEN, MIDDLE, RENDERED]],
  ['the response, and what a script writes', { sent: 'b', rendered: 'b' }, [SENT, THEN, MIDDLE, RENDERED]],
  ['only what a script gets', { rendered: 'b' }, [RENDERED]],
  [
    'a response without scripts, rendered otherwise',
    { sent: 'b', rendered: 'b', hasScripts: false },
    [SENT, THEN, RENDERED],
  ],
  ['the text of a response without scripts', { sent: 'b', text: 'b', hasScripts: false }, [SENT, TEXT, MIDDLE]],
] as const)('what sends an alert when this differs: %s', (_, change, alerts) => {
  expect([...alertsOf(BEFORE, { ...BEFORE, ...change })]).toEqual(alerts)
})
