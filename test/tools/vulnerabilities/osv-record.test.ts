import { compare } from 'semver'
import { describe, expect, test } from 'vitest'
import { type Affected, fixOf, readRecord } from '../../../tools/vulnerabilities/osv-record.ts'

const NONE = undefined
const within = (...events: readonly Readonly<Record<string, string>>[]): Affected => ({
  ranges: [{ type: 'SEMVER', events }],
})

describe('The fix of a version', () => {
  test.each([
    ['is that of its range', within({ introduced: '1.0.0' }, { fixed: '1.2.0' }), '1.1.9', '1.2.0'],
    ['is not needed below a range', within({ introduced: '1.0.0' }, { fixed: '1.2.0' }), '0.9.0', NONE],
    ['is not needed from the fix on', within({ introduced: '0' }, { fixed: '1.2.0' }), '1.2.0', NONE],
    [
      'is needed before a fix, at its pre-release',
      within({ introduced: '0' }, { fixed: '1.2.0' }),
      '1.2.0-rc.1',
      '1.2.0',
    ],
    ['is unknown where nothing is fixed', within({ introduced: '0' }), '7.0.0', null],
    [
      'is unknown for the last version that is affected',
      within({ introduced: '0' }, { last_affected: '2.0.0' }),
      '2.0.0',
      null,
    ],
    ['is not needed behind that', within({ introduced: '0' }, { last_affected: '2.0.0' }), '2.0.1', NONE],
    ['is not needed from the limit on', within({ introduced: '0' }, { limit: '3.0.0' }), '3.0.0', NONE],
    ['is needed below the limit', within({ introduced: '0' }, { limit: '3.0.0' }), '2.9.0', null],
    ['is needed where the limit is a star', within({ introduced: '0' }, { limit: '*' }), '2.9.0', null],
    [
      'is the next one, whatever the order of events',
      within({ fixed: '3.1.0' }, { introduced: '3.0.0' }, { fixed: '1.1.0' }, { introduced: '0' }),
      '3.0.5',
      '3.1.0',
    ],
    [
      'is not needed between two ranges, whatever the order of events',
      within({ fixed: '3.1.0' }, { introduced: '3.0.0' }, { fixed: '1.1.0' }, { introduced: '0' }),
      '2.0.0',
      NONE,
    ],
    [
      'is not needed between two ranges',
      within({ introduced: '0' }, { fixed: '1.1.0' }, { introduced: '3.0.0' }, { fixed: '3.1.0' }),
      '2.0.0',
      NONE,
    ],
    ['is needed for a version of the list', { versions: ['1.0.0', '1.0.1'] }, '1.0.1', null],
    ['is not needed for a version beside the list', { versions: ['1.0.0'] }, '1.0.1', NONE],
    ['is not found in commits', { ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }, '1.0.0', NONE],
    ['is not needed where nothing is named', {}, '1.0.0', NONE],
  ] satisfies [string, Affected, string, string | null | undefined][])('%s', (_, affected, version, fix) => {
    expect(fixOf(affected, version, compare)).toBe(fix)
  })

  test('is asked for where a bound is no version, so that somebody looks', () => {
    const unknown = () => Number.NaN
    expect(fixOf(within({ introduced: 'first' }, { fixed: 'last' }), '1.0.0', unknown)).toBeNull()
  })
})

test.each(['', '[]', 'null', '{"name":"a-package"}', '{"id":"TEST-1","modified":"2026-01-01","affected":1}'])(
  '%s is no record',
  (text) => {
    expect(readRecord(text)).toBeNull()
  },
)
