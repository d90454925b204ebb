import type { Issue } from '../validation/issue.ts'
import type { Config } from './config.ts'

export type Setting = keyof Config
/** Some of the settings. */
type Given = Readonly<Partial<Record<Setting, string | number>>>

/** A rule about settings that their types cannot express. It never names a value. */
export interface SettingRule {
  /** The setting that is at fault. */
  readonly setting: Setting
  /** What is wrong, behind the name of the setting. */
  readonly message: string
  /** Examples, which the tests run. */
  readonly accepts: readonly Given[]
  readonly rejects: readonly Given[]
  holds(settings: Given): boolean
}

/** Returns what the settings break of the rules. */
export const settingIssues = (settings: Given, rules: readonly SettingRule[]): readonly Issue[] =>
  rules.filter((rule) => !rule.holds(settings)).map(({ setting, message }) => ({ path: setting, message }))

/** One setting is required where another one is set. */
export const requiredWith = (setting: Setting, other: Setting, why = ''): SettingRule => ({
  setting,
  message: `is required with ${other}${why}`,
  accepts: [{}, { [setting]: 'x' }, { [setting]: 'x', [other]: 'x' }],
  rejects: [{ [other]: 'x' }],
  holds: (settings) => settings[other] === undefined || settings[setting] !== undefined,
})

/** One setting means nothing without another one. */
export const needs = (setting: Setting, other: Setting, why = ''): SettingRule => ({
  ...requiredWith(other, setting),
  setting,
  message: `needs ${other}${why}`,
})

export interface SettingForm {
  readonly message: string
  readonly accepts: readonly string[]
  readonly rejects: readonly string[]
  holds(text: string): boolean
}

/** The text of a setting has a form. */
export const formOf = (setting: Setting, { message, accepts, rejects, holds }: SettingForm): SettingRule => ({
  setting,
  message,
  accepts: [{}, ...accepts.map((text) => ({ [setting]: text }))],
  rejects: rejects.map((text) => ({ [setting]: text })),
  holds(settings) {
    const text = settings[setting]
    return typeof text !== 'string' || holds(text)
  },
})
