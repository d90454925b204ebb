import type { DoctorCheck } from './doctor-check.ts'
import { failed, ok, sentence } from './finding.ts'

export const settingsCheck: DoctorCheck = {
  limitMs: 1_000,
  reads: [],
  look({ issues, set }) {
    const names = set.map(({ name, from }) => (from === 'file' ? `${name} (from a file)` : name))
    const what = names.length === 0 ? 'None is set: all have their defaults.' : `Set: ${names.join(', ')}.`
    if (issues.length === 0) return ok(what)
    const faults = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
    return failed(`${sentence(faults)} ${what}`, 'Correct them: docs/settings.md lists all settings.')
  },
}
