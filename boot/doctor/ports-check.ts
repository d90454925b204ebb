import { get } from 'node:http'
import { checkPorts, PORT_SETTINGS, type PortSetting } from '../process/ports.ts'
import { type Settings, SettingsError } from '../settings/read-config.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { failed, ok } from './finding.ts'
import { sentence } from './finding.ts'

const ANSWER_MS = 3_000

export const portsCheck: DoctorCheck = {
  limitMs: 10_000,
  reads: ['HOST', ...PORT_SETTINGS],
  async look({ settings }) {
    const issues = await issuesOf(settings)
    const own: string[] = []
    const others: string[] = []
    for (const { path, message } of issues) {
      const name = PORT_SETTINGS.find((one) => one === path)
      if (name && (await isTidemark(settings, name))) own.push(name)
      else others.push(`${path} ${message}`)
    }
    if (others.length > 0) {
      const [what = '', ...advice] = others.join('; ').split('; ')
      return failed(sentence(what), sentence(advice.join('; ') || 'Set another one'))
    }
    const free = PORT_SETTINGS.filter((name) => settings[name] !== undefined && !own.includes(name))
    const told = [
      ...free.map((name) => `${name} (${settings[name]}) ${settings[name] === 0 ? 'is any free port' : 'is free'}`),
      ...own.map((name) => `${name} (${settings[name as PortSetting]}) is in use by Tidemark`),
    ]
    return ok(sentence(told.join('; ')))
  },
}

async function issuesOf(settings: Settings): Promise<SettingsError['issues']> {
  try {
    await checkPorts(settings, PORT_SETTINGS)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.issues
    throw error
  }
}

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' }

/** Returns whether what listens there answers as Tidemark does: with its health, or with its form of errors. */
function isTidemark({ HOST, ...settings }: Settings, name: PortSetting): Promise<boolean> {
  const hostname = EVERYWHERE[HOST] ?? HOST
  return new Promise((resolve) => {
    const request = get(
      { hostname, port: settings[name], path: '/readyz', timeout: ANSWER_MS, agent: false },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (text.length > LONGEST) answer.destroy()
        })
        answer.on('close', () => resolve(hasOurForm(text)))
      },
    )
    request.setTimeout(ANSWER_MS, () => request.destroy())
    request.on('error', () => resolve(false))
  })
}

const LONGEST = 10_000

function hasOurForm(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return false
    return 'checks' in value || ('error' in value && typeof value.error === 'object')
  } catch {
    return false
  }
}
