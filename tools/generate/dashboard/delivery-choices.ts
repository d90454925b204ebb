import { MESSAGE_LIMITS, MESSAGE_NAMES } from '../../../schema/message/message.ts'
import { SERVICE_NAMES, SERVICE_TABLE } from '../../../schema/monitor/delivery-services.ts'
import { WEEK_DAYS } from '../../../schema/monitor/digest.ts'

/** Returns a text of the manual without its links and its marks of code. */
const plain = (text: string): string => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')

/** What a person is asked for and told of each service. */
const services = Object.fromEntries(
  SERVICE_NAMES.map((name) => {
    const { label, url, hasOneAddress, address, takesHeaders, options } = SERVICE_TABLE[name]
    const asked = Object.entries(options).map(([key, { isNeeded, isSecret, choices, takes, says, example }]) => {
      const option = { isNeeded, isSecret, choices, takes: plain(takes), says: plain(says), example }
      return [key, option] as const
    })
    return [
      name,
      { label, url, hasOneAddress, address: plain(address), takesHeaders, options: Object.fromEntries(asked) },
    ]
  }),
)

const names = Object.entries(MESSAGE_NAMES).map(([name, { of, what }]: [string, { of?: string; what: string }]) => ({
  name,
  of,
  means: what,
}))

const COLUMNS = 120
/** A text of JSON which is a whole line, with its key. */
const TEXT = /^( *)("[^"]*": )?"(.*)"(,?)$/

/** Returns a line of JSON as lines of code that are not too long. No escape has a space in it. */
function broken(line: string): string {
  const [, indent = '', key = '', text = '', end = ''] = (line.length > COLUMNS && TEXT.exec(line)) || []
  if (text === '') return line
  const parts: string[] = []
  for (const word of text.split(/(?<= )/)) {
    const last = parts.at(-1)
    if (last !== undefined && indent.length + last.length + word.length < COLUMNS - 6) parts[parts.length - 1] += word
    else parts.push(word)
  }
  return `${indent}${key}\n${parts.map((part) => `${indent}  "${part}"`).join(' +\n')}${end}`.replace(/ +\n/, '\n')
}

const constant = (name: string, type: string, value: unknown) =>
  `export const ${name}${type} = ${JSON.stringify(value, null, 2).split('\n').map(broken).join('\n')}`

/** Returns the file with what a person chooses of destinations and their messages. */
export const deliveryChoices = (): string => `// Generated from schema/ by \`npm run gen\`.
import type { MessageName, Service, ServiceName } from './service.ts'
import type { DeliveryConfig } from './types.ts'

${constant('SERVICES', ': Readonly<Record<ServiceName, Service>>', services)}

/** The names that a message can have. \`*\` stands for the name of a field or a label. */
${constant('MESSAGE_NAMES', ': readonly MessageName[]', names)}

/** The most characters of each part of a message. */
${constant('MESSAGE_LIMITS', '', MESSAGE_LIMITS)}

${constant('WEEK_DAYS', ': NonNullable<NonNullable<DeliveryConfig["digest"]>["days"]>'.replaceAll('"', "'"), WEEK_DAYS)}
`
