import type { AuditEvent } from './sentences.ts'

const count = new Intl.NumberFormat('en')
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

type Facts = AuditEvent['metadata']

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): string =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(', ') : ''
const hoursOf = (value: unknown): string =>
  typeof value === 'number' ? (value === 0 ? 'the old one ended at once' : `the old one worked ${value} h more`) : ''

function instantOf(value: unknown): string {
  const at = Date.parse(textOf(value))
  return Number.isNaN(at) ? '' : time.format(at)
}

const fromTo = (from: unknown, to: unknown): string =>
  textOf(from) !== '' && textOf(to) !== '' ? `from ${textOf(from)} to ${textOf(to)}` : ''

const prefixed = (word: string, text: string): string => (text === '' ? '' : `${word} ${text}`)

const onOff = (value: unknown): string => (value === true ? 'on' : value === false ? 'off' : '')

function bulk({ action, succeeded, failed }: Facts): string {
  if (typeof succeeded !== 'number') return ''
  const rest = typeof failed === 'number' ? count.format(failed) : '0'
  return `${textOf(action)}: ${count.format(succeeded)} done, ${rest} not`
}

/** What is said of facts, by what they are about. Of a fact that is unknown here, the details show all. */
const SAID: readonly ((facts: Facts) => string)[] = [
  ({ changed }) => prefixed('changed', listOf(changed)),
  ({ previous_role: before, role }) => (before === undefined ? prefixed('as', textOf(role)) : fromTo(before, role)),
  ({ previous_name: before, name }) => (before === undefined ? prefixed('named', textOf(name)) : fromTo(before, name)),
  ({ scopes }) => prefixed('may', listOf(scopes)),
  ({ expires_at: end }) => prefixed('ends', instantOf(end)),
  ({ new_key_prefix: prefix }) => prefixed('the new one begins with', textOf(prefix)),
  ({ grace_period_hours: hours }) => hoursOf(hours),
  ({ grace_hours: hours }) => hoursOf(hours),
  ({ until }) => prefixed('until', instantOf(until)),
  ({ reason }) => prefixed('because', textOf(reason)),
  bulk,
  ({ proxy_enabled: isOn }) => onOff(isOn),
  ({ error_notifications: isOn }) => onOff(isOn),
  ({ plan }) => prefixed('plan', textOf(plan)),
  ({ from, to }) => (to === undefined ? prefixed('from', textOf(from)) : fromTo(from, to)),
  ({ runs }) => (typeof runs === 'number' ? `${count.format(runs)} runs` : ''),
  ({ ends_at: end }) => prefixed('until', instantOf(end)),
  ({ template_slug: template }) => prefixed('from the template', textOf(template)),
  ({ previous_status: status }) => prefixed('it was', textOf(status)),
]

/** Returns the facts of an event in words. */
export const factsOf = ({ metadata }: AuditEvent): readonly string[] =>
  SAID.map((say) => say(metadata)).filter((text) => text !== '')
