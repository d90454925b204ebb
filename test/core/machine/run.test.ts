import { describe, expect, test } from 'vitest'
import { isFinal, nextRunStatus, type RunEvent } from '../../../core/machine/run.ts'
import { RUN_STATUSES } from '../../../schema/run.ts'

const EVENTS: readonly RunEvent[] = ['start', 'skip', 'succeed', 'fail']

describe('a run', () => {
  test('starts running or is skipped', () => {
    expect(EVENTS.map((event) => nextRunStatus(null, event))).toEqual(['running', 'skipped', null, null])
  })

  test('that is running ends in success or in an error', () => {
    expect(EVENTS.map((event) => nextRunStatus('running', event))).toEqual([null, null, 'success', 'error'])
  })

  test('that has ended is not changed by a late writer', () => {
    for (const status of RUN_STATUSES.filter((each) => each !== 'running'))
      expect(EVENTS.map((event) => nextRunStatus(status, event))).toEqual([null, null, null, null])
  })

  test('is final in every status but running', () => {
    expect(RUN_STATUSES.filter(isFinal)).toEqual(['success', 'error', 'skipped'])
  })
})
