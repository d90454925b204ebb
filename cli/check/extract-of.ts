import { TEMPLATES } from '../../core/templates/templates.ts'
import type { Template } from '../../schema/monitor/template.ts'
import { type CheckOptions, RULE_OPTIONS } from './options.ts'
import { UsageError } from './usage-error.ts'

/**
 * Returns what to extract, unchecked, and the option that named it; null when there is none. Throws UsageError when
 * there are several.
 */
export function extractOf(options: CheckOptions): { readonly extract: object; readonly said: string } | null {
  const said = [
    ...RULE_OPTIONS.filter(({ key }) => options[key]).map(({ option }) => option),
    ...(options.fullPage ? ['--full-page'] : []),
    ...(options.template === undefined ? [] : ['--template']),
    ...(options.monitor === undefined ? [] : ['--monitor']),
  ]
  if (said.length > 1)
    throw new UsageError(`${said.join(' and ')} cannot be combined: a monitor has one way to extract`)
  if (options.fullPage) return { extract: { method: 'full_page' }, said: '--full-page' }
  const rules = RULE_OPTIONS.find(({ key }) => options[key])
  if (!rules) return null
  const { option, method, example } = rules
  return { extract: { method, fields: fieldsOf(options[rules.key] ?? [], option, example) }, said: option }
}

function fieldsOf(given: readonly string[], option: string, example: string): Record<string, string> {
  const fields = new Map<string, string>()
  for (const text of given) {
    const at = text.indexOf('=')
    const name = text.slice(0, Math.max(0, at)).trim()
    const rule = text.slice(at + 1).trim()
    if (name === '' || rule === '')
      throw new UsageError(`${option} takes a name and a rule, as in ${option} ${example}`)
    if (fields.has(name)) throw new UsageError(`${option} names the field ${JSON.stringify(name)} twice`)
    fields.set(name, rule)
  }
  return Object.fromEntries(fields)
}

/** Returns the template of this slug. Throws UsageError that lists the slugs. */
export function templateOf(slug: string): Template {
  const found = TEMPLATES.find((template) => template.slug === slug)
  if (found) return found
  throw new UsageError(
    `there is no template ${JSON.stringify(slug)}; there are:\n${TEMPLATES.map((one) => `  ${one.slug}`).join('\n')}`,
  )
}

/** Returns `['Accept: text/html']` as a map of names to values. */
export function headersOf(given: readonly string[] = []): Record<string, string> | null {
  if (given.length === 0) return null
  const headers = given.map((text) => {
    const at = text.indexOf(':')
    if (at < 1) throw new UsageError("--header takes a name and a value, as in --header 'Accept-Language: en'")
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const
  })
  return Object.fromEntries(headers)
}
