import { MESSAGE_LIMITS } from '../../schema/message/message.ts'
import { mailTo } from './apprise.ts'
import { isObject, isSet, type Reporters, textOf, textsOf, type Values } from './imported.ts'
import { PUSHOVER_ADDRESS, telegramAddress, toService, validDeliveries } from './valid-deliveries.ts'

/** Reporters that write to a terminal or a file of the machine, and settings of forms. */
const SILENT: ReadonlySet<string> = new Set(['stdout', 'text', 'html', 'markdown', 'tz', 'browser'])

/** Returns the reporters in the configuration of urlwatch or webchanges; null: it is none. */
export function reportersIn(documents: readonly unknown[]): Reporters | null {
  const [configuration] = documents
  const all = isObject(configuration) ? configuration['report'] : null
  if (documents.length !== 1 || !isObject(all)) return null
  const report: string[] = []
  const deliveries = Object.entries(all).flatMap(([name, settings]) => {
    if (SILENT.has(name) || !isObject(settings) || settings['enabled'] !== true) return []
    const miss = (what: string) => void report.push(`${what} of the reporter ${name}: no equivalent`)
    const made = Object.hasOwn(BY_NAME, name) ? (BY_NAME[name]?.(settings, miss) ?? []) : []
    const found = validDeliveries(made)
    if (found.length === 0) report.push(`the reporter ${name}: no equivalent, or it is not complete`)
    return found
  })
  if (deliveries.length > 0)
    report.push('One report of all jobs becomes one message a change: a digest collects them (docs/digests.md)')
  return { deliveries, report }
}

type Miss = (what: string) => void

const PRIORITIES: Readonly<Record<string, string>> = { lowest: '-2', low: '-1', normal: '', high: '1', emergency: '2' }

/** Returns the address without the slash at its end. */
const addressOf = (value: unknown): string => textOf(value).replace(/\/+$/, '')

/** The destinations of a reporter by its name. */
const BY_NAME: Readonly<Record<string, (settings: Values, miss: Miss) => readonly object[]>> = {
  discord: (settings, miss) => [
    { type: 'discord', webhookUrl: textOf(settings['webhook_url']), ...titleOf(settings, miss) },
  ],
  slack: (settings) => [{ type: 'slack', webhookUrl: textOf(settings['webhook_url']) }],
  mattermost: (settings) => [toService('mattermost', textOf(settings['webhook_url']))],
  webhook: (settings) => [textTo(settings)],
  webhook_markdown: (settings) => [textTo(settings)],
  email: (settings, miss) => mailsTo(settings, miss),
  mailgun: (settings, miss) => mailsTo(settings, miss),
  telegram: (settings) =>
    chatsOf(settings['chat_id']).map((chat) =>
      toService('telegram', telegramAddress(textOf(settings['bot_token'])), {
        chat_id: chat,
        disable_notification: settings['silent'] === true ? 'true' : '',
      }),
    ),
  matrix: (settings) => [
    toService('matrix', addressOf(settings['homeserver']), {
      room_id: settings['room_id'],
      access_token: settings['access_token'],
    }),
  ],
  gotify: (settings) => [
    toService('gotify', addressOf(settings['server_url']), {
      token: settings['token'],
      priority: settings['priority'],
    }),
  ],
  pushover: (settings) => [
    toService('pushover', PUSHOVER_ADDRESS, {
      token: settings['app'],
      user: settings['user'],
      device: settings['device'],
      sound: settings['sound'],
      priority: PRIORITIES[textOf(settings['priority'])],
    }),
  ],
}

const mailsTo = (settings: Values, miss: Miss): readonly object[] =>
  mailTo(textsOf(settings['to']).join(',')).map((mail) => ({ ...mail, ...titleOf(settings, miss) }))

/** A webhook of these tools gets the text as JSON, as chats take it. */
const textTo = (settings: Values) => ({
  ...toService('custom', textOf(settings['webhook_url'])),
  body: '{"text": "{{changes}}"}',
})

/** An id may be a number, and there may be a list of them. */
const chatsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]).filter(isSet)

/** The subjects that the tools write themselves. */
const OWN_SUBJECT = /^(\[\w+\] )?\{count\} changes(\{jobs_files\})?: \{jobs\}$/

/** Returns the title of a subject in words of one's own. It is of one change: it cannot count. */
function titleOf(settings: Values, miss: Miss): object {
  const subject = textOf(settings['subject'])
  if (subject === '' || OWN_SUBJECT.test(subject)) return {}
  const title = subject.replaceAll('{jobs}', '{{monitor.name}}')
  const [left] = /\{\w+\}/.exec(title.replaceAll('{{monitor.name}}', '')) ?? []
  if (left !== undefined || Array.from(title).length > MESSAGE_LIMITS.title) {
    miss(left === undefined ? 'a subject that is too long' : `${left} in the subject`)
    return {}
  }
  return { message: { title } }
}
