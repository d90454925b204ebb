import { describe, expect, test } from 'vitest'
import { inApiSpelling } from '../../../core/custom-resource/names.ts'
import { resourceIssue } from '../../../core/custom-resource/resource-issue.ts'
import { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'

describe('an issue of the API, as one about a resource', () => {
  test.each([
    ['schedule_interval_seconds', 'must be at least 60', 'spec.scheduleIntervalSeconds must be at least 60'],
    ['', 'is odd', 'spec is odd'],
    ['visual_config', 'cannot be with request_config', 'spec.visualConfig cannot be with requestConfig'],
    ['extract_config.method', 'must be one of "json_path"', 'spec.extractConfig.method must be one of "json_path"'],
    [
      'diff_predicate.type',
      'must be one of "field_changes" (did you mean "field_changes"?)',
      'spec.diffPredicate.type must be one of "field_changes" (did you mean "field_changes"?)',
    ],
    ['fields', 'is not a field: "fetch_mode"', 'spec.fields is not a field: "fetch_mode"'],
    ['fetch_modes', 'is not a known key', 'spec.fetch_modes is not a known key'],
    [
      'extract_config.wait_fo',
      'is not a known key (did you mean "wait_for"?)',
      'spec.extractConfig.wait_fo is not a known key (did you mean "waitFor"?)',
    ],
  ])('%s: %s', (path, message, expected) => {
    const issue = resourceIssue({ path, message })
    expect(`${issue.path} ${issue.message}`).toBe(expected)
  })

  test('hints have its spelling, whatever the validation says', () => {
    const checked = checkerOf(MonitorSpec).validate({ scheduleIntervalSecond: 60 })
    const issues = checked.ok ? [] : checked.issues.map(resourceIssue)
    expect(issues).toContainEqual({
      path: 'spec.scheduleIntervalSecond',
      message: 'is not a known key (did you mean "scheduleIntervalSeconds"?)',
    })
  })
})

test('keys in the spelling of the API are named, at every depth, and those that people chose are not', () => {
  const fields = { in_stock: '#stock', fetch_mode: 'p' }
  const spec = {
    fetch_mode: 'browser',
    requestHeaders: { fetch_mode: 'a' },
    extractConfig: { method: 'css', fields, wait_for: 'main' },
    deliveries: [{ type: 'slack', webhookUrl: 'https://hooks.example.com/' }],
  }
  expect(inApiSpelling(MonitorSpec, spec)).toEqual([
    { path: 'fetch_mode', message: 'is not a known key (did you mean "fetchMode"?)' },
    { path: 'extractConfig.wait_for', message: 'is not a known key (did you mean "waitFor"?)' },
  ])
})
