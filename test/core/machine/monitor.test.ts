import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type MonitorEvent,
  type MonitorFacts,
  type MonitorMove,
  nextMonitor,
  statusOf,
} from '../../../core/machine/monitor.ts'

const fresh: MonitorFacts = { kind: 'regular', isDeleted: false, isLocked: false, isPaused: false, failures: 0 }
const STATES = {
  active: fresh,
  error: { ...fresh, failures: 5 },
  paused: { ...fresh, isPaused: true, failures: 7 },
  billing_paused: { ...fresh, isLocked: true, failures: 7 },
  deleted: { ...fresh, isDeleted: true },
} as const

const EVENTS: readonly MonitorEvent[] = ['pause', 'resume', 'lock', 'unlock', 'delete', 'succeeded', 'failed']

const shortly = (move: MonitorMove) =>
  move.ok ? [statusOf(move.facts), ...move.effects].join(' + ') : `refused: ${move.reason}`
const after = (facts: MonitorFacts, ...events: MonitorEvent[]): MonitorFacts =>
  events.reduce((at, event) => {
    const move = nextMonitor(at, event)
    return move.ok ? move.facts : at
  }, facts)

describe('a monitor', () => {
  test.each([
    ['active', 'paused', 'active', 'billing_paused', 'active', 'deleted'],
    ['error', 'paused', 'error', 'billing_paused', 'error', 'deleted'],
    ['paused', 'paused', 'active + run_now', 'paused', 'paused', 'deleted'],
    ['billing_paused', 'refused: locked', 'refused: locked', 'billing_paused', 'active + run_now', 'deleted'],
    ['deleted', 'refused: deleted', 'refused: deleted', 'deleted', 'deleted', 'deleted'],
  ] as const)('that is %s: pause gives %s, resume %s, lock %s, unlock %s, delete %s', (state, ...expected) => {
    const events = ['pause', 'resume', 'lock', 'unlock', 'delete'] as const
    expect(events.map((event) => shortly(nextMonitor(STATES[state], event)))).toEqual(expected)
  })

  test('counts failures: the fifth in a row makes it error and tells so once, the next success active', () => {
    let facts = fresh
    const seen: string[] = []
    for (const event of ['failed', 'failed', 'failed', 'failed', 'failed', 'failed', 'succeeded', 'failed'] as const) {
      const move = nextMonitor(facts, event)
      seen.push(shortly(move))
      facts = after(facts, event)
    }
    expect(seen).toEqual([
      'active',
      'active',
      'active',
      'active',
      'error + tell_failing',
      'error',
      'active + tell_recovered',
      'active',
    ])
    expect(facts.failures).toBe(1)
  })

  test('that was paused in error comes back active, counting anew', () => {
    expect(after(STATES.error, 'pause', 'resume')).toEqual(fresh)
  })

  test('that a user paused stays paused through the end of a trial and the choice of a plan', () => {
    expect(statusOf(after(fresh, 'pause', 'lock', 'unlock'))).toBe('paused')
  })

  test('that was running comes back when a plan is chosen', () => {
    expect(statusOf(after(fresh, 'lock', 'unlock'))).toBe('active')
  })

  test('whose check ends after it was paused counts it, and stays paused', () => {
    expect(shortly(nextMonitor({ ...fresh, isPaused: true, failures: 4 }, 'failed'))).toBe('paused')
    expect(after(STATES.paused, 'succeeded').failures).toBe(0)
  })

  test('for search results is never in error, and pauses itself at the tenth failure in a row', () => {
    const serp: MonitorFacts = { ...fresh, kind: 'serp', failures: 8 }
    expect(shortly(nextMonitor(serp, 'failed'))).toBe('active')
    expect(shortly(nextMonitor({ ...serp, failures: 9 }, 'failed'))).toBe('paused + tell_auto_paused')
    expect(shortly(nextMonitor(after({ ...serp, failures: 9 }, 'failed'), 'resume'))).toBe('active + run_now')
  })

  test('that is deleted stays so, whatever happens', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...EVENTS)),
        (events) => statusOf(after(STATES.deleted, ...events)) === 'deleted',
      ),
    )
  })

  test('is never told of twice in a row in the same way', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<MonitorEvent>('failed', 'succeeded', 'failed', 'failed'), { maxLength: 60 }),
        (events) => {
          let facts = fresh
          const told: string[] = []
          for (const event of events) {
            const move = nextMonitor(facts, event)
            if (move.ok) told.push(...move.effects)
            facts = after(facts, event)
          }
          expect(told).toEqual(told.map((_, index) => (index % 2 ? 'tell_recovered' : 'tell_failing')))
        },
      ),
    )
  })
})
