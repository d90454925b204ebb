import type { ScreensFigures } from '../dashboard/screens.ts'
import { shareOf } from './stats.ts'
import { grid, kilobytes, tenths, whole } from './text.ts'

const ms = (value: number): string => `${whole(value)} ms`

export function screensOf({ date, size, screens, replay, mute, statusPage }: ScreensFigures): string {
  const has =
    `${whole(size.deliveries)} deliveries, ${whole(size.audits)} events, ` + `${whole(size.people)} members and keys`
  return grid(
    [`screens of a team with ${has}, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      ...screens.map(({ screen, firstRowsMs }) => [
        `\`${screen}\`: first rows, most`,
        ms(Math.max(...firstRowsMs)),
        '≤ 1,000 ms',
      ]),
      ...screens.map(({ screen, moreBytes }) => [
        `\`${screen}\`: code and styles beside those of the list, compressed`,
        `${kilobytes(moreBytes)} KB`,
        '≤ 70 KB',
      ]),
      [`${whole(replay.deliveries)} dead deliveries sent again: until they are queued`, ms(replay.queuedMs), '≤ 10 s'],
      ['the same: entries of the audit log', whole(replay.audited), 'one each'],
      [
        'the same: deliveries to other destinations, p99 late, alone and beside it',
        `${ms(replay.alone99Ms)}, ${ms(replay.beside99Ms)}`,
        'no later',
      ],
      [`a label on ${whole(mute.monitors)} monitors muted`, ms(mute.ms), '≤ 2,000 ms'],
      [
        `a status page of ${whole(statusPage.monitors)} monitors: p95`,
        `${tenths(shareOf(statusPage.looksMs, 0.95))} ms`,
        '≤ 20 ms',
      ],
      ['the same: compressed', `${kilobytes(statusPage.compressedBytes)} KB`, '≤ 20 KB'],
    ],
  )
}
