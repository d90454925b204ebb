import { CLIENT_VARIABLES } from '../../schema/config/client-variables.ts'
import { Config } from '../../schema/config/config.ts'
import { LIVE_SECRETS, SECRET_SETTINGS, secretFileOf } from '../../schema/config/secret-settings.ts'
import { paragraph, table } from './markdown.ts'

interface Setting {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly description?: string
}

const FROM_FILES = paragraph(
  'A secret setting may be read from a file instead: the variable with `_FILE` at its end names the file, as ' +
    'in `DATABASE_URL_FILE=/run/secrets/database-url`. It is read at the start. A line break at its end is ' +
    'dropped. It has at most 64 KiB.',
)

const READ_AGAIN = paragraph(
  `A running process uses new texts of ${LIVE_SECRETS.map((name) => `\`${secretFileOf(name)}\``).join(', ')} after ` +
    'SIGHUP ([reload](operations.md#reload)). A runner looks at `TIDEMARK_RUNNER_TOKEN_FILE` every two seconds by ' +
    'itself. Those of the other files take effect at its next start.',
)

/** Returns docs/settings.md: every setting with its type, default and meaning. */
export const settingsPage = (): string => `# Settings

Every setting is an environment variable. None is needed for \`npm start\`. For example:

<!-- not run by the test: README.md has the same lines -->

\`\`\`sh
TIDEMARK_ALLOW_PRIVATE_CIDRS=127.0.0.0/8 npm start
\`\`\`

- A command reads its settings once, when it starts. Start it again after a change.
- When settings are wrong, the command lists every fault with the value that it found, and exits. Ports that are in use,
  and a data folder that cannot be written, are found before anything is created.
- The value of a secret setting never appears in a log or an error.
- Variables that Kubernetes sets for a Service named \`tidemark\` or \`tidemark-…\`, such as
  \`TIDEMARK_PORT=tcp://10.96.12.4:8080\`, are not read; a line in the log names them.
- \`npm run gen\` makes this page from \`schema/config/config.ts\`.

${FROM_FILES}

${READ_AGAIN}

${table(
  ['Setting', 'Value', 'Default', 'Meaning'],
  SETTINGS.map(([name, setting]: readonly [string, Setting]) => [
    SECRET.has(name) ? `\`${name}\` or \`${name}_FILE\` (secret)` : `\`${name}\``,
    valueOf(setting),
    defaultOf(setting),
    setting.description ?? '',
  ]),
)}

## Variables of the command line

The commands that call a server over REST ([command-line.md](command-line.md)) read these. All other commands ignore
them.

${table(
  ['Variable', 'Meaning'],
  Object.entries(CLIENT_VARIABLES).map(([name, meaning]) => [`\`${name}\``, meaning]),
)}
`

const SETTINGS = Object.entries(Config.properties) as readonly [string, object][]
const SECRET: ReadonlySet<string> = new Set(SECRET_SETTINGS)

function valueOf({ type, enum: choices, minimum, maximum }: Setting): string {
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ')
  return type === 'integer' ? `${minimum} to ${maximum}` : 'text'
}

function defaultOf(setting: Setting): string {
  if (setting.default === undefined) return 'unset'
  return setting.default === ''
    ? 'empty'
    : `\`${typeof setting.default === 'string' ? setting.default : JSON.stringify(setting.default)}\``
}
