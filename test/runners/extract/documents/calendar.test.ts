import { describe, expect, test } from 'vitest'
import { jsonOf, treeOf } from '../../../support/documents/files.ts'

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1@example.com', ...lines, 'END:VEVENT'].join('\r\n')
const times = async (text: string) => {
  const { events } = (await jsonOf(text)) as { events: { start: string; end: string; shown: string }[] }
  return events.map(({ start, end, shown }) => [start, end, shown])
}

describe('a calendar', () => {
  test('has its events as they are, a repeat once with its rule', async () => {
    const text = calendar(
      event(
        'DTSTAMP:20261130T100000Z',
        'DTSTART;TZID=Europe/Berlin:20260701T100000',
        'DTEND;TZID=Europe/Berlin:20260701T120000',
        'RRULE:FREQ=WEEKLY;COUNT=3',
        'SUMMARY:Market day\\, with a',
        '  second half',
        'LOCATION:Harbour <hall>',
        'URL:https://example.com/market',
      ),
    )
    expect(await jsonOf(text)).toEqual({
      events: [
        {
          uid: '1@example.com',
          start: '2026-07-01T08:00:00Z',
          end: '2026-07-01T10:00:00Z',
          all_day: false,
          shown: '2026-07-01 10:00 Europe/Berlin – 2026-07-01 12:00 Europe/Berlin',
          summary: 'Market day, with a second half',
          location: 'Harbour <hall>',
          description: null,
          status: null,
          url: 'https://example.com/market',
          repeat: 'FREQ=WEEKLY;COUNT=3',
        },
      ],
    })
    expect(await treeOf(text)).toBe(
      '<article data-uid="1@example.com">\n<h2>Market day, with a second half</h2>\n' +
        '<p><time class="start" datetime="2026-07-01T08:00:00Z">2026-07-01 10:00 Europe/Berlin</time> – ' +
        '<time class="end" datetime="2026-07-01T10:00:00Z">2026-07-01 12:00 Europe/Berlin</time></p>\n' +
        '<p class="location">Harbour &lt;hall&gt;</p>\n<p class="repeat">FREQ=WEEKLY;COUNT=3</p>\n' +
        '<p><a href="https://example.com/market">https://example.com/market</a></p>\n</article>',
    )
  })

  test.each<[string, string[], unknown[]]>([
    ['in UTC', ['DTSTART:20260701T100000Z'], ['2026-07-01T10:00:00Z', null, '2026-07-01 10:00 UTC']],
    ['of a day', ['DTSTART;VALUE=DATE:20261225'], ['2026-12-25', null, '2026-12-25']],
    ['of no zone', ['DTSTART:20260701T100000'], ['2026-07-01T10:00:00', null, '2026-07-01 10:00']],
    [
      'with a length',
      ['DTSTART:20260701T100000Z', 'DURATION:PT90M'],
      ['2026-07-01T10:00:00Z', '2026-07-01T11:30:00Z', '2026-07-01 10:00 UTC – 2026-07-01 11:30 UTC'],
    ],
    [
      'in winter',
      ['DTSTART;TZID=America/New_York:20261225T090000'],
      ['2026-12-25T14:00:00Z', null, '2026-12-25 09:00 America/New_York'],
    ],
    [
      'of an unknown zone',
      ['DTSTART;TZID=Nowhere:20261225T090000'],
      ['2026-12-25T09:00:00', null, '2026-12-25 09:00 Nowhere'],
    ],
  ])('reads a time %s', async (_, lines, expected) => {
    expect(await times(calendar(event(...lines)))).toEqual([expected])
  })

  test('reads a zone that it describes itself', async () => {
    const zone = ['BEGIN:VTIMEZONE', 'TZID:Own', 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0300']
    const end = ['TZOFFSETTO:+0300', 'END:STANDARD', 'END:VTIMEZONE']
    const text = calendar(...zone, ...end, event('DTSTART;TZID=Own:20260701T100000'))
    expect(await times(text)).toEqual([['2026-07-01T07:00:00Z', null, '2026-07-01 10:00 Own']])
  })

  test('has the dates that its rule leaves out, those beside it, and the one that an event replaces', async () => {
    const text = calendar(
      event(
        'DTSTART;TZID=Europe/Berlin:20260701T100000',
        'RRULE:FREQ=WEEKLY',
        'EXDATE;TZID=Europe/Berlin:20260722T100000,20260708T100000',
        'EXDATE;VALUE=DATE:20260715',
        'RDATE;VALUE=PERIOD:20260709T080000Z/PT1H',
      ),
      event('RECURRENCE-ID:20260805T080000Z', 'DTSTART:20260806T080000Z'),
    )
    expect(await jsonOf(text)).toMatchObject({
      events: [
        { except: ['2026-07-08T08:00:00Z', '2026-07-15', '2026-07-22T08:00:00Z'], also: ['2026-07-09T08:00:00Z'] },
        { replaces: '2026-08-05T08:00:00Z' },
      ],
    })
    const html = await treeOf(text)
    expect(html).toContain('<p><time class="except" datetime="2026-07-15">2026-07-15</time></p>')
    expect(html).toContain('<p><time class="also" datetime="2026-07-09T08:00:00Z">2026-07-09 08:00 UTC</time></p>')
    expect(html).toContain('<article data-uid="1@example.com" data-replaces="2026-08-05T08:00:00Z">')
  })

  test('may be folded within a character', async () => {
    const bytes = Buffer.from(calendar(event('SUMMARY:Café')))
    const at = bytes.indexOf(0xa9)
    const folded = Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n '), bytes.subarray(at)])
    expect(await jsonOf(folded)).toMatchObject({ events: [{ summary: 'Café' }] })
  })

  test('is the same where only the time of the request differs', async () => {
    const at = (stamp: string) =>
      calendar(event(`DTSTAMP:${stamp}`, 'DTSTART:20260701T100000Z', `SEQUENCE:${stamp[5]}`))
    expect(await treeOf(at('20261130T100000Z'))).toBe(await treeOf(at('20261130T110000Z')))
  })

  test.each<[string, string, string]>([
    ['was cut', calendar(event('DTSTART:20260701T100000Z')).slice(0, -20), 'unreadable_document: The file is damaged'],
    ['has a wrong date', calendar(event('DTSTART:yesterday')), 'unreadable_document: The file is damaged'],
    [
      'has too many events',
      calendar(...Array.from({ length: 5_001 }, () => event())),
      'too_complex: The file has more than 5,000 events',
    ],
    [
      'nests without an end',
      `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n'.repeat(1_000)}`,
      'too_complex: The calendar is nested',
    ],
  ])('is refused where it %s', async (_, text, message) => {
    await expect(jsonOf(text)).rejects.toThrow(message)
  })
})
