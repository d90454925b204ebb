import Type, { type Static } from 'typebox'
import { Choice, Closed, RuledText, Text, Whole } from './shape/shape.ts'
import { TIERS } from './account/plan.ts'

const Optional = Type.Optional

/**
 * Every setting of every command, once: name, type, default, meaning. From it come the start-up check, the settings
 * page (docs/settings.md) and the chart's values. Entry files read the environment against it; nothing else does. In
 * the environment all are strings: numbers are written as digits, lists as comma-separated text.
 */
export const Config = Closed({
  PORT: Whole(0, 65_535, { default: 8080, description: 'Port of the API; 0 takes a free one.' }),
  HOST: Type.String({
    minLength: 1,
    maxLength: 255,
    default: '127.0.0.1',
    description: 'Address that the API listens on.',
  }),
  DATABASE_URL: Optional(
    Text(1, 2048, 'Postgres 15 or newer. Unset: an embedded Postgres 18 under TIDEMARK_DATA_DIR.'),
  ),
  TIDEMARK_DATA_DIR: Type.String({
    minLength: 1,
    maxLength: 1024,
    default: '.tidemark',
    description:
      'Where the embedded Postgres, keys and pictures live. As root, in a folder that no other account may enter, ' +
      'the Postgres is in /var/lib/tidemark; the start says where.',
  }),
  TIDEMARK_BASE_URL: Optional(Text(1, 2048, 'Address under which people reach the API. Default: http://HOST:PORT.')),
  TIDEMARK_DASHBOARD_URL: Optional(Text(1, 2048, 'Address that messages link to. Default: the base address.')),
  SMTP_URL: Optional(
    Text(
      1,
      2048,
      'Mail server, smtp://user:password@host:587 or smtps://…; docs/messages.md. Unset: no mail is sent, and ' +
        'e-mail deliveries fail.',
    ),
  ),
  SMTP_FROM: Optional(RuledText(254, ['email_address'], 'Address that mail comes from. Required with SMTP_URL.')),
  TIDEMARK_ALLOW_PRIVATE_CIDRS: Type.String({
    maxLength: 4096,
    default: '',
    description:
      'Private networks that targets and webhooks may be in, comma-separated, for example 127.0.0.0/8,::1/128.',
  }),
  TIDEMARK_TRUSTED_PROXIES: Type.String({
    maxLength: 4096,
    default: '',
    description: 'Networks of the proxies whose X-Forwarded-For is believed, comma-separated.',
  }),
  TIDEMARK_ENCRYPTION_KEY: Optional(
    Text(
      16,
      1024,
      'Key for secrets at rest, 32 bytes as base64 or hex, or a long passphrase. Required with DATABASE_URL; else ' +
        'made and kept in the data directory. What has another key than the database was set up with does not ' +
        'start.',
    ),
  ),
  TIDEMARK_SIGNUP: Choice(['invite', 'open'], { default: 'invite', description: 'Who may create an account.' }),
  TIDEMARK_SIGNUP_PLAN: Choice(TIERS, { default: 'free', description: 'Plan of a new account.' }),
  TIDEMARK_RATE_LIMIT: Whole(0, 10_000_000, {
    default: 6000,
    description: 'Requests a minute for each key or session; 0: no limit.',
  }),
  TIDEMARK_LEASE_SECONDS: Whole(2, 3600, {
    default: 60,
    description: 'How long a worker may be silent before its checks are given to another.',
  }),
  TIDEMARK_HOST_CONCURRENCY: Whole(1, 10_000, {
    default: 8,
    description:
      'Checks in flight to one host and port, for each worker; of three or more, a team leaves one to others.',
  }),
  TIDEMARK_DESTINATION_CONCURRENCY: Whole(1, 10_000, {
    default: 5,
    description:
      'Deliveries in flight to one host and port, for each worker; docs/webhooks.md says how they are shared.',
  }),
  TIDEMARK_BROWSER_PAGES: Whole(0, 100, {
    default: 4,
    description:
      'Pages that the browser of one process shows at once; 0: it renders none, runners do; docs/browser.md.',
  }),
  TIDEMARK_LANE_PORT: Optional(
    Whole(0, 65_535, {
      description: 'Port on which a worker lets runners claim what is to be rendered; docs/browser.md. Unset: none.',
    }),
  ),
  TIDEMARK_LANE_URL: Optional(
    Text(1, 2048, 'Where a runner finds that port of a worker, as in http://tidemark-lane:8081. Required by it.'),
  ),
  TIDEMARK_RUNNER_TOKEN: Optional(
    Text(1, 256, 'What a runner says who it is with, from "tidemark admin create-runner-token".'),
  ),
  TIDEMARK_RUNNER_TOKEN_FILE: Optional(Text(1, 4096, 'File that holds it, in place of TIDEMARK_RUNNER_TOKEN.')),
  TIDEMARK_RUNNER_IDLE_SECONDS: Whole(0, 86_400, {
    default: 0,
    description: 'A runner that had nothing to do for so long ends with code 0; 0: it never does.',
  }),
  CHROMIUM_PATH: Optional(
    Text(
      1,
      1024,
      'Chromium to use. Unset: the embedded one, or where there is none for this machine, the installed one.',
    ),
  ),
  TIDEMARK_CHECK_CONCURRENCY: Whole(1, 10_000, { default: 128, description: 'Checks in flight in one worker.' }),
  LLM_BASE_URL: Optional(
    Text(
      1,
      2048,
      'OpenAI-compatible endpoint that prompt extraction asks, as in https://models.example.com/v1; ' +
        'docs/prompt.md. Unset: prompt monitors fail.',
    ),
  ),
  LLM_API_KEY: Optional(Text(1, 4096, 'Key for LLM_BASE_URL. Unset: none is sent.')),
  LLM_MODEL: Type.String({
    minLength: 1,
    maxLength: 256,
    default: 'gpt-4.1-mini',
    description: 'Model that prompt extraction asks for.',
  }),
  TIDEMARK_LLM_CONCURRENCY: Whole(1, 1000, {
    default: 8,
    description: 'Questions to the model in flight, for each process; one team has half of them at most.',
  }),
  TIDEMARK_LLM_TIMEOUT_SECONDS: Whole(1, 600, {
    default: 30,
    description: 'How long the model may take for one answer.',
  }),
  TIDEMARK_PROXY_URL: Optional(
    Text(
      1,
      2048,
      'Proxy for checks that are refused, http://user:password@host:port or https://…; docs/proxy.md. Unset: ' +
        'there is none.',
    ),
  ),
  S3_BUCKET: Optional(
    Text(1, 255, 'Bucket that pictures lie in; docs/visual.md. Unset: a folder under TIDEMARK_DATA_DIR.'),
  ),
  S3_ENDPOINT: Optional(
    Text(1, 2048, 'S3-compatible service that has S3_BUCKET, as in http://minio:9000. Unset: AWS, in AWS_REGION.'),
  ),
  AWS_REGION: Type.String({ minLength: 1, maxLength: 64, default: 'us-east-1', description: 'Region of S3_BUCKET.' }),
  AWS_ACCESS_KEY_ID: Optional(Text(1, 256, 'Who we are to S3_BUCKET; required with it.')),
  AWS_SECRET_ACCESS_KEY: Optional(Text(1, 1024, 'The key that belongs to it; required with S3_BUCKET.')),
  AWS_SESSION_TOKEN: Optional(Text(1, 8192, 'With credentials that end by themselves.')),
  TIDEMARK_METRICS_PORT: Optional(
    Whole(0, 65_535, { description: 'Serve /metrics on a port of its own; unset: on the API port.' }),
  ),
  TIDEMARK_LOG_LEVEL: Choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'What is logged.',
  }),
})
export type Config = Static<typeof Config>

/** Settings whose value never appears in a log or an error. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'SMTP_URL',
  'LLM_API_KEY',
  'TIDEMARK_PROXY_URL',
  'TIDEMARK_RUNNER_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'TIDEMARK_ENCRYPTION_KEY',
] as const satisfies readonly (keyof Config)[]
