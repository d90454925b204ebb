import { describe, expect, test } from 'vitest'
import { Config } from '../../schema/config/config.ts'
import { settingIssues } from '../../schema/config/setting-rule.ts'
import { BROWSER_RULES, databaseRules, RUNNER_RULES, SETTING_RULES } from '../../schema/config/setting-rules.ts'

const ALL = [...SETTING_RULES, ...databaseRules('api'), ...BROWSER_RULES, ...RUNNER_RULES]

describe('a rule of the settings', () => {
  test.each(ALL.map((rule) => [`${rule.setting} ${rule.message}`, rule] as const))('%s', (_, rule) => {
    expect(Object.keys(Config.properties)).toContain(rule.setting)
    expect(rule.accepts.length).toBeGreaterThan(0)
    expect(rule.rejects.length).toBeGreaterThan(0)
    for (const settings of rule.accepts) expect(settingIssues(settings, [rule]), JSON.stringify(settings)).toEqual([])
    const issue = { path: rule.setting, message: rule.message }
    for (const settings of rule.rejects)
      expect(settingIssues(settings, [rule]), JSON.stringify(settings)).toEqual([issue])
  })
})
