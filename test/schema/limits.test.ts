import { describe, expect, test } from 'vitest'
import { pathsOf } from '../support/api/monitor-body.ts'
import { LIMITS } from './monitor-limits.ts'

describe('the limits of a monitor', () => {
  test.each(LIMITS)('%s', (...[, inside, outside, path]) => {
    expect(pathsOf(inside)).toEqual([])
    expect(pathsOf(outside)).toContain(path)
  })
})
