import { MESSAGE_LIMITS, MESSAGE_NAMES } from '../../schema/message/message.ts'
import { SERVICE_TABLE } from '../../schema/monitor/delivery-services.ts'
import { paragraph, table } from './markdown.ts'

const COUNT = new Intl.NumberFormat('en')
const { title, text, body } = MESSAGE_LIMITS

const ABOUT = paragraph(
  'With `message`, you write what messages say. Names in `{{…}}` are replaced by their values. `npm run gen` makes ' +
    'this page from `schema/message/message.ts`.',
)

const EXAMPLE = `<!-- keys: MonitorCreate -->

\`\`\`json
"message": {
  "title": "{{monitor.name}}: {{fields.price.after}}",
  "text": "{{fields.price.before}} → {{fields.price.after}} {{run.url}}"
},
"deliveries": [
  { "type": "slack", "webhookUrl": "https://hooks.slack.com/services/…" },
  { "type": "email", "to": "ada@example.com", "message": { "title": "The kettle is cheaper" } }
]
\`\`\``

const RULES = [
  '`message` stands on a monitor, or on one of its `deliveries`, which then has nothing of that of the monitor.',
  `\`title\` is the headline or the subject, as plain text: at most ${title} characters. \`text\` stands in place of ` +
    `all that our own message says below it: at most ${COUNT.format(text)}. Each may be absent, and then it is ours.`,
  '`text` may have the markup of the service that gets it, and mentions. In a mail it has none. Values cannot become ' +
    'markup, a link or a mention there. In Slack, `*`, `_` and `~` in a value may change its style.',
  'Within a link of Slack, a value may be a part of the address behind the host, or the words: ' +
    '`<https://shop.example.com/{{fields.id.after}}|{{monitor.name}}>`.',
  'A field that did not change has its value as `before` and as `after`, but in a test. A value that is missing is ' +
    'empty. Where a text would be too long for its service, its values are shortened, and then the text, without its ' +
    'markup.',
  'A plain webhook and `cloudevents` get [the payload](webhooks.md#payload): a `message` on one of these is 422. ' +
    'That of the monitor does not count for them.',
  'A name that cannot exist is 422 with its column, and so is a field that `extract_config` does not have. Of a ' +
    'custom resource, the operator says it in the condition `Stalled`.',
  '[Notices](notices.md) keep their own words. An edit counts from the next run on: a delivery that is tried again ' +
    'says what it said before.',
  '`./tidemark check --monitor kettle.yaml --message` shows the text and sends nothing. `./tidemark test-delivery ' +
    'kettle` sends it once. Its headline then begins with `Test:`, and so does `{{monitor.name}}` in the `body` of ' +
    '`custom`.',
]

const NAMES = paragraph(
  'A name that is not an identifier stands in brackets: `{{fields["the price"].after}}`. There is nothing else in ' +
    'this language: no conditions and no loops, and no value is ever read again. `*` stands for a name of your own.',
)

const CUSTOM = [
  paragraph(
    `The [service](services.md#any-other) \`custom\` sends a request whose \`body\` you write, with at most ` +
      `${COUNT.format(body)} characters, by \`method: POST\` or \`PUT\`:`,
  ),
  `<!-- checked elsewhere: test/docs/own-words-page.test.ts -->

\`\`\`yaml
deliveries:
  - type: webhook
    service: custom
    url: https://api.example.com/messages
    headers: { Authorization: Bearer 0123 }
    body: '{"text": "{{monitor.name}}: {{changes}}", "price": "{{fields.price.after}}"}'
\`\`\``,
]

const BODY_RULES = [
  'Where `body` is JSON, names are replaced inside of its strings, and a string that is one name becomes the value ' +
    'with its type: the `price` above may be a number. Whatever a value is, the body stays JSON.',
  'Any other `body` is a text. `Content-Type` is `application/json`, or `text/plain; charset=utf-8`. One that begins ' +
    'as JSON does and is none is a text too, with a warning that says where reading it as JSON stopped.',
  `A body has at most ${COUNT.format(SERVICE_TABLE.custom.limit.most)} bytes. Where it would have more, long values ` +
    'are cut, and are then texts, whatever their type. Of a field that did not change, a value is whole where it is ' +
    'the one name of a string of JSON; anywhere else it is its first 2,000 characters.',
  'Without `body`, the message is sent as plain text.',
  'A notice fills the names that it has: `monitor.*`, `changes`, `run.*` and `fired_at`.',
  'The body is encrypted at rest, and masked for viewers and keys with `read`. Where an answer repeats it, its texts ' +
    'of 6 characters and more are hidden; of a body that is not JSON, words of 16 and more.',
  'In a manifest, `bodyFrom` reads it from a Secret.',
]

const list = (rules: readonly string[]) => rules.map((rule) => paragraph(`- ${rule}`, '  ')).join('\n')

/** Returns docs/own-words.md: how to word a message, and its names. */
export const ownWordsPage = (): string => `# Messages in your own words

${ABOUT}

${EXAMPLE}

${list(RULES)}

## Names

${NAMES}

${table(
  ['Name', 'Monitors', 'Value'],
  Object.entries(MESSAGE_NAMES).map(([name, about]) => [
    `\`${name}\``,
    'of' in about ? (about.of === 'page' ? 'of pages' : 'of searches') : 'all',
    about.what,
  ]),
)}

## A request of your own

${CUSTOM.join('\n\n')}

${list(BODY_RULES)}
`
