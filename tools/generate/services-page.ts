import { stringify } from 'yaml'
import type { DeliveryService } from '../../schema/monitor/delivery-service.ts'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../../schema/monitor/delivery-services.ts'
import { CHAT_PACE } from '../../schema/run/delivery.ts'
import { paragraph, table } from './markdown.ts'

const COUNT = new Intl.NumberFormat('en')

const ABOUT = paragraph(
  'A destination of type `webhook` takes the key `service`. Its messages then have the form of that service, and say ' +
    'what those to [Slack, Discord and e-mail](messages.md) say. `npm run gen` makes this page from ' +
    '`schema/monitor/delivery-service-table.ts`.',
)

const RULES = [
  'Every request is signed as [a webhook](webhooks.md#checking-the-signature) is, so your own server can take the ' +
    'place of a service.',
  '`options` are what the service needs to know besides its address. They are encrypted at rest. Those that are ' +
    'secret are masked for viewers and keys with `read`. In a custom resource or a file, `optionsFrom` reads them ' +
    'from a Secret.',
  'An option that the service does not take, or that is missing, is 422 with its path. `headers` are taken by ' +
    'services that can be your own server.',
  'Names and values of pages cannot become markup, links or mentions. In plain text an invisible space (U+200B) ' +
    'stands within what an app would make a link or a mention of.',
  `A service that documents a pace gets ${CHAT_PACE.burst} messages at once, and then one in the time of the table, ` +
    'from all processes of an installation together. Each address has its pace. A short time to wait that it asks ' +
    'for is waited out. Teams, Google Chat, ntfy and PagerDuty are tried again after any other 429. Another answer ' +
    'with 4xx is final.',
  'A message that would be too long leaves out whole changes, and says how many.',
  'Checks and deliveries of a monitor with a service have [level 2](decisions/0038-work-has-a-level.md): a process ' +
    'of an earlier version leaves them alone.',
]

function paceOf({ everyMs, options }: DeliveryService): string {
  if (everyMs === null) return 'none documented'
  const paced = Object.entries(options).flatMap(([name, { isPaced }]) => (isPaced === true ? [`\`${name}\``] : []))
  return `one in ${everyMs / 1_000} s${paced.map((name) => ` for each ${name}`).join('')}`
}
const yesOrNo = (is: boolean | undefined) => (is === true ? 'yes' : '')

/** A destination with the options that the service needs. */
function example(service: ServiceName, { url, options }: DeliveryService): string {
  const needed = Object.entries(options).filter(([, { isNeeded }]) => isNeeded === true)
  const open = needed
    .filter(([, { isSecret }]) => isSecret !== true)
    .map(([name, one]): [string, string] => [name, one.example])
  const secret = needed.filter(([, { isSecret }]) => isSecret === true)
  const from = secret.map(([name]) => ({ name, secretKeyRef: { name: 'messages', key: name } }))
  const delivery = {
    type: 'webhook',
    service,
    url,
    ...(open.length > 0 && { options: Object.fromEntries(open) }),
    ...(from.length > 0 && { optionsFrom: from }),
  }
  return stringify({ deliveries: [delivery] }, { lineWidth: 0, singleQuote: true }).trimEnd()
}

function section(service: ServiceName): string {
  const definition = SERVICE_TABLE[service]
  const { label, address, lacks, options } = definition
  const rows = Object.entries(options).map(([name, one]) => [
    `\`${name}\``,
    yesOrNo(one.isNeeded),
    yesOrNo(one.isSecret),
    `${one.says} Takes ${one.takes}.`,
  ])
  return [
    `## ${label}`,
    paragraph(address),
    '<!-- checked elsewhere: test/e2e/services-page.test.ts -->',
    `\`\`\`yaml\n${example(service, definition)}\n\`\`\``,
    ...(rows.length > 0 ? [table(['Option', 'Needed', 'Secret', 'Meaning'], rows)] : ['It takes no options.']),
    paragraph(lacks),
  ].join('\n\n')
}

/** Returns docs/services.md: the services that a webhook can name. */
export const servicesPage = (): string => `# Services

${ABOUT}

${RULES.map((rule) => paragraph(`- ${rule}`, '  ')).join('\n')}

${table(
  ['Service', 'Name', 'Longest text', 'Pace', '`headers`'],
  SERVICE_NAMES.map((name) => {
    const { label, limit, takesHeaders } = SERVICE_TABLE[name]
    const most = `${COUNT.format(limit.most)} ${limit.unit}`
    return [label, `\`${name}\``, most, paceOf(SERVICE_TABLE[name]), yesOrNo(takesHeaders)]
  }),
)}

${SERVICE_NAMES.map(section).join('\n\n')}
`
