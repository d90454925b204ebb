import { readFileSync } from 'node:fs'
import { PlansFile } from '../../schema/account/plan.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { type Settings, SettingsError } from './read-config.ts'

const SETTING = 'TIDEMARK_PLANS_FILE'

/** Returns the limits of plans that differ in this installation. Throws SettingsError when the file is wrong. */
export function readPlans({ TIDEMARK_PLANS_FILE: path }: Pick<Settings, 'TIDEMARK_PLANS_FILE'>): PlansFile {
  if (path === undefined) return {}
  const checked = checkerOf(PlansFile).validate(parsed(read(path)))
  if (checked.ok) return checked.value
  const faults = checked.issues.map((issue) => `${issue.path} ${issue.message}`.trim())
  throw wrong(`names ${path}, which is wrong: ${faults.join('; ')}`)

  function parsed(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw wrong(`names ${path}, which is not JSON: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw wrong(`names ${path}, which cannot be read (${code})`)
  }
}

const wrong = (message: string) => new SettingsError([{ path: SETTING, message }])
