import { describe, expect, test } from 'vitest'
import { createWorkSlots } from '../../../api/http/work-slots.ts'
import { WORK } from '../../../schema/work.ts'

const HERE = new AbortController().signal
/** One of a team and two in all, as backtests have, which wait this long. */
const slotsOf = (waitMs = 600_000) => createWorkSlots({ ...WORK, backtest: { ...WORK.backtest, waitMs } })
const figuresOf = (slots: ReturnType<typeof slotsOf>) => {
  const { working, waiting, ended } = slots.figures.backtest
  return { working, waiting, ended }
}

describe('the slots of backtests', () => {
  test('are one of a team and two in all; two more of a team wait, and further ones are refused', async () => {
    const slots = slotsOf()
    const leaving = new AbortController()
    const mine = Array.from({ length: 24 }, () =>
      slots.take('backtest', 'mine', leaving.signal).catch((error) => error),
    )
    const leave = await slots.take('backtest', 'theirs', HERE)
    const third = slots.take('backtest', 'third', HERE)
    const refused = await Promise.all(mine.slice(3))
    for (const error of refused)
      expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '5' } })
    expect(refused[0].message).toBe(
      'Of backtests, 1 of a team and 2 of all teams are at work at once in one process, and 2 more of a team wait. ' +
        'So many do. Nothing was done. Try again in 5 s.',
    )
    expect(figuresOf(slots)).toMatchObject({ working: 2, waiting: 3, ended: { full: 21 } })
    // The slot is the neighbour's, though two of the first team have waited for longer.
    leave()
    const leaveThird = await third
    expect(figuresOf(slots)).toMatchObject({ working: 2, waiting: 2 })
    leaveThird()
    const [first] = await Promise.all(mine.slice(0, 1))
    leaving.abort()
    expect(await Promise.all(mine.slice(1, 3))).toMatchObject([{ code: 'BAD_REQUEST' }, { code: 'BAD_REQUEST' }])
    first()
    expect(figuresOf(slots)).toEqual({ working: 0, waiting: 0, ended: { done: 3, full: 21, late: 0, left: 2 } })
  })

  test('are given up after the time to wait, with a pause to try again', async () => {
    const slots = slotsOf(1)
    const leave = await slots.take('backtest', 'mine', HERE)
    await expect(slots.take('backtest', 'mine', HERE)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      headers: { 'retry-after': '1' },
    })
    leave()
    const again = await slots.take('backtest', 'mine', HERE)
    again()
    expect(figuresOf(slots)).toEqual({ working: 0, waiting: 0, ended: { done: 2, full: 0, late: 1, left: 0 } })
  })
})
