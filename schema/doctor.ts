import Type, { type Static } from 'typebox'
import { Choice, Closed, Nullable, Text, Whole } from './shape/shape.ts'

/** How a check of `tidemark doctor` ends. The worst first. */
const DOCTOR_STATUSES = ['failed', 'warning', 'ok', 'not_set_up'] as const

/** What `tidemark doctor` looks at, in the order in which it is shown. */
export const DOCTOR_CHECKS = {
  settings: 'which settings are set, by their names, and what is wrong with them',
  node: 'the version of Node',
  postgres:
    'the server of `DATABASE_URL`, or the embedded Postgres and the server that runs on the data folder: whether it ' +
    'answers, and its version',
  migrations: 'whether the database has the schema of this version',
  clock: 'the difference between the clock of this machine and that of Postgres',
  browser: 'the browser: it is started in its sandbox, and ended',
  fonts: 'whether this browser has letters of Latin, Cyrillic, Greek, CJK, Arabic and Hebrew, and emoji',
  disk: 'whether the data folder can be written, the room on its disk, and `TIDEMARK_DATABASE_MAX_BYTES`',
  ports: 'whether the ports are free, or in use by Tidemark',
  dns: 'whether the names of hosts in the settings have addresses',
  egress: 'which private networks are allowed, private authorities, and the proxy',
  mail: 'whether the server of `SMTP_URL` answers and accepts the login; no mail is sent',
  model: 'whether the address of `LLM_BASE_URL` answers; it gets no key and no prompt',
} as const satisfies Readonly<Record<string, string>>
export type DoctorCheckName = keyof typeof DOCTOR_CHECKS

const NAMES = Object.keys(DOCTOR_CHECKS) as readonly DoctorCheckName[]
const LONGEST = 4_000

/** What one check found. */
export const DoctorFinding = Closed({
  status: Choice(DOCTOR_STATUSES, { description: 'not_set_up: the settings do not ask for it, or it cannot be seen.' }),
  what: Text(1, LONGEST, 'What is there.'),
  advice: Nullable(Text(1, LONGEST, 'What to do. Null: nothing.')),
})
export type DoctorFinding = Static<typeof DoctorFinding>

/** What `tidemark doctor --json` prints. Keys may be added; none is removed or changes its meaning. */
export const DoctorReport = Closed({
  version: Text(1, 100, 'The version of Tidemark.'),
  node: Text(1, 100, 'The version of Node.'),
  system: Text(1, 100, 'The operating system and the processor, as in linux-x64.'),
  failed: Whole(0, NAMES.length, { description: 'How many checks failed.' }),
  warnings: Whole(0, NAMES.length, { description: 'How many have a warning.' }),
  settings: Type.Array(
    Closed({
      name: Text(1, 100),
      from: Choice(['environment', 'file'], { description: 'file: the variable with _FILE names it.' }),
    }),
    { description: 'The settings that are set, without their values.' },
  ),
  checks: Type.Array(
    Closed({
      name: Choice(NAMES),
      ...DoctorFinding.properties,
      ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    }),
    { minItems: NAMES.length, maxItems: NAMES.length },
  ),
})
export type DoctorReport = Static<typeof DoctorReport>
