import Type, { type Static } from 'typebox'
import { TIERS } from '../account/plan.ts'
import { Choice, Closed, RuledText, Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional
/** Default of TIDEMARK_DATA_DIR, from the folder in which a process is started. */
export const DATA_DIR = '.tidemark'
/** The default of TIDEMARK_CONNECTIONS_PER_ADDRESS, and the limit of every port for health and metrics. */
export const CONNECTIONS_PER_ADDRESS = 500

/**
 * Every setting of every command: name, type, default and meaning. The start-up check, the settings page
 * (docs/settings.md) and the chart's values are generated from it. Only entry files read the environment. All values
 * in the environment are strings: numbers are digits, lists are comma-separated.
 */
export const Config = Closed({
  PORT: Whole(0, 65_535, { default: 8080, description: 'Port of the API. 0: any free port.' }),
  HOST: Type.String({
    minLength: 1,
    maxLength: 255,
    default: '127.0.0.1',
    description: 'Address that the API, the runner API and the metrics port listen on.',
  }),
  DATABASE_URL: Optional(
    Text(
      1,
      2048,
      'Postgres 15 or newer, as postgres://user:password@host:5432/name. With ?sslmode=require the connection is ' +
        'encrypted and the certificate checked; NODE_EXTRA_CA_CERTS names a PEM file of a private authority. ' +
        'Unset: an embedded Postgres 18 under TIDEMARK_DATA_DIR.',
    ),
  ),
  TIDEMARK_DATA_DIR: Type.String({
    minLength: 1,
    maxLength: 1024,
    default: DATA_DIR,
    description:
      'Folder for the embedded Postgres, the generated encryption key, the embedded browser and the ' +
      'pictures. When started as root in a folder that other users cannot enter, Tidemark stores the ' +
      'database in /var/lib/tidemark and prints its path.',
  }),
  TIDEMARK_BASE_URL: Optional(Text(1, 2048, 'Public address of the API. Default: http://HOST:PORT.')),
  TIDEMARK_DASHBOARD_URL: Optional(
    Text(1, 2048, 'Address that links in messages begin with. Unset: messages have no links to runs.'),
  ),
  SMTP_URL: Optional(
    Text(
      1,
      2048,
      'Mail server: smtp://user:password@host:587 or smtps://…; see docs/messages.md. Unset: no mail is ' +
        'sent, and e-mail deliveries fail.',
    ),
  ),
  SMTP_FROM: Optional(RuledText(254, ['email_address'], 'Sender address of mail. Required with SMTP_URL.')),
  TIDEMARK_OIDC_ISSUER: Optional(
    Text(
      1,
      2048,
      'Issuer of an OpenID Connect provider that people sign in with, such as https://id.example.com/realms/main; ' +
        'see docs/sign-in.md. Unset: people sign in with passwords only.',
    ),
  ),
  TIDEMARK_OIDC_CLIENT_ID: Optional(Text(1, 512, 'Id of this client at the provider. Required with the issuer.')),
  TIDEMARK_OIDC_CLIENT_SECRET: Optional(
    Text(1, 1024, 'Secret of this client at the provider. Required with the issuer.'),
  ),
  TIDEMARK_PLANS_FILE: Optional(
    Text(
      1,
      4096,
      'JSON file with limits of plans that differ here; see docs/reference/usage-and-plans.md. The command that ' +
        'migrates the database applies it: serve or migrate.',
    ),
  ),
  STRIPE_SECRET_KEY: Optional(
    Text(1, 512, 'Secret key of Stripe; see docs/billing.md. Unset: plans and run credits are given by commands.'),
  ),
  STRIPE_WEBHOOK_SECRET: Optional(
    Text(1, 512, 'Secret that Stripe signs its events with. Required with STRIPE_SECRET_KEY.'),
  ),
  STRIPE_PRICES: Optional(
    Text(
      2,
      16_384,
      'JSON with the prices of plans and of packs of run credits. Required with STRIPE_SECRET_KEY. Example: ' +
        '{"pro":"price_1abc","pro_serp":"price_2def","credits":{"5000":"price_3ghi"}}.',
    ),
  ),
  STRIPE_API_URL: Optional(Text(1, 2048, 'Address to ask in place of https://api.stripe.com, for tests.')),
  TIDEMARK_ALLOW_PRIVATE_CIDRS: Type.String({
    maxLength: 4096,
    default: '',
    description:
      'Private networks that checks and deliveries may connect to, comma-separated. Example: 127.0.0.0/8,::1/128.',
  }),
  TIDEMARK_INSTALLED_BY: Choice(['person', 'chart'], {
    default: 'person',
    description: 'Who has set the settings. chart: messages name values of the Helm chart in their place.',
  }),
  TIDEMARK_DENY_CIDRS: Type.String({
    maxLength: 4096,
    default: '',
    description:
      'Networks that checks and deliveries must not connect to, comma-separated, beside those that are always ' +
      'denied; see docs/egress.md. Stronger than TIDEMARK_ALLOW_PRIVATE_CIDRS. Example: 198.51.100.0/24.',
  }),
  TIDEMARK_EXTRA_CA_FILE: Optional(
    Text(
      1,
      4096,
      'PEM file with certificates of private authorities. Targets and webhooks whose certificates they signed are ' +
        'accepted; see docs/egress.md.',
    ),
  ),
  TIDEMARK_CLIENT_CERTIFICATES_FILE: Optional(
    Text(1, 4096, 'JSON file with client certificates, each for named hosts and teams; see docs/egress.md.'),
  ),
  KUBERNETES_SERVICE_HOST: Optional(
    Text(1, 255, 'API server of the cluster, which is always denied. Kubernetes sets it in every pod.'),
  ),
  KUBERNETES_SERVICE_PORT: Whole(1, 65_535, {
    default: 443,
    description: 'Port of KUBERNETES_SERVICE_HOST. Kubernetes sets it in every pod.',
  }),
  TIDEMARK_TRUSTED_PROXIES: Type.String({
    maxLength: 4096,
    default: '',
    description: 'Networks of the reverse proxies whose X-Forwarded-For header is trusted, comma-separated.',
  }),
  TIDEMARK_CONNECTIONS_PER_ADDRESS: Whole(0, 1_000_000, {
    default: CONNECTIONS_PER_ADDRESS,
    description:
      'Open connections of one client address (IPv6: one /64) to the API and to the runner API. Addresses in ' +
      'TIDEMARK_TRUSTED_PROXIES have no limit. 0: no limit.',
  }),
  TIDEMARK_ENCRYPTION_KEY: Optional(
    Text(
      16,
      8192,
      'Key that encrypts secrets in the database: 32 bytes as base64 or hex, or a long passphrase without commas. ' +
        'To rotate it, put a new key before it: a comma-separated list, the newest first; see docs/admin.md. ' +
        'Required with DATABASE_URL. Otherwise a key is generated and kept in TIDEMARK_DATA_DIR. A process that ' +
        'lacks a key that the database needs refuses to start.',
    ),
  ),
  TIDEMARK_SIGNUP: Choice(['invite', 'open'], {
    default: 'invite',
    description: 'Who may create an account. open: everybody. invite: nobody without an invitation.',
  }),
  TIDEMARK_SIGNUP_PLAN: Choice(TIERS, { default: 'free', description: 'Plan of a new account.' }),
  TIDEMARK_OWNER_EMAIL: Optional(
    RuledText(
      254,
      ['email_address'],
      'E-mail address of the first owner, whom the first start creates, and to whom notices about monitors go. ' +
        'Unset: owner@tidemark.local, which no mail reaches. Later, "tidemark admin set-email" changes it.',
    ),
  ),
  TIDEMARK_RATE_LIMIT: Whole(0, 10_000_000, {
    default: 6000,
    description: 'Requests a minute for each API key or session. 0: no limit.',
  }),
  TIDEMARK_INVITATION_MAILS: Whole(0, 1_000_000, {
    default: 500,
    description:
      'Invitation mails an hour of all teams together, half of them at most of teams on the plan free. 0: no limit ' +
      'but that of each team; see docs/reference/teams-and-roles.md.',
  }),
  TIDEMARK_DATABASE_MAX_BYTES: Optional(
    Whole(1_000_000, Number.MAX_SAFE_INTEGER, {
      description:
        'Bytes that the database may have. From 90 % of them on the owner is told, and from 95 % on previews and ' +
        'pictures stop. Unset: only the disk of the embedded Postgres is looked at; see docs/operations.md.',
    }),
  ),
  TIDEMARK_LEASE_SECONDS: Whole(2, 3600, {
    default: 60,
    description: 'Seconds without a heartbeat after which another worker takes over the checks of a worker.',
  }),
  TIDEMARK_HOST_CONCURRENCY: Whole(1, 10_000, {
    default: 8,
    description:
      'Concurrent checks of one host and port, for each worker. From 3 on, one team can use all slots but one.',
  }),
  TIDEMARK_DESTINATION_CONCURRENCY: Whole(1, 10_000, {
    default: 5,
    description:
      'Concurrent deliveries to one host and port, for each worker; docs/webhooks.md describes how they are shared.',
  }),
  TIDEMARK_SERP_ENDPOINTS: Optional(
    Text(
      2,
      4096,
      'JSON that maps search engines to origins that are asked in place of them, for tests with saved pages: ' +
        '{"google":"http://127.0.0.1:9000"}. A private origin needs TIDEMARK_ALLOW_PRIVATE_CIDRS too.',
    ),
  ),
  TIDEMARK_SERP_SPACING_MS: Whole(0, 3_600_000, {
    default: 30_000,
    description:
      'Milliseconds between two checks of one search engine from one exit, at least; up to a half more is added at ' +
      'random. See docs/search-results.md.',
  }),
  // As long as the name of a node may be.
  TIDEMARK_EXIT_NAME: Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    default: 'default',
    description:
      'Name of the address that searches of this process come from. Processes behind one address share a name: one ' +
      'search of an engine is under way for each name.',
  }),
  TIDEMARK_EXIT_COUNTRY: Optional(
    Type.String({
      minLength: 2,
      maxLength: 2,
      pattern: '^[a-z]{2}$',
      description:
        'Country of that address, as in us. Runs for another country say that their country is approximate. Unset: ' +
        'all runs say so.',
    }),
  ),
  TIDEMARK_SERP_PROVIDER_URL: Optional(
    Text(
      1,
      2048,
      'Paid service that answers searches of Google when Google refuses; see docs/search-results.md. Example: ' +
        'https://provider.example.com/search.json. Unset: there is none.',
    ),
  ),
  TIDEMARK_SERP_PROVIDER_KEY: Optional(Text(1, 512, 'API key for TIDEMARK_SERP_PROVIDER_URL. Required with it.')),
  TIDEMARK_BROWSER_PAGES: Whole(0, 100, {
    default: 4,
    description:
      'Pages that one process renders at the same time; see docs/browser.md. 0: this process renders ' +
      'nothing, and runners must.',
  }),
  TIDEMARK_RUNNER_API_PORT: Optional(
    Whole(0, 65_535, {
      description:
        'Port of the runner API, through which runners claim checks from a worker; see docs/browser.md. ' +
        'Unset: no runner API.',
    }),
  ),
  TIDEMARK_RUNNER_API_URL: Optional(
    Text(
      1,
      2048,
      'Address of the runner API, for a runner. Example: http://tidemark-worker:8081. Required by the command runner.',
    ),
  ),
  TIDEMARK_RUNNER_TOKEN: Optional(
    Text(1, 256, 'Authentication token of a runner, from "tidemark admin create-runner-token".'),
  ),
  TIDEMARK_RUNNER_IDLE_SECONDS: Whole(0, 86_400, {
    default: 0,
    description: 'Seconds without work after which a runner exits with code 0. 0: never.',
  }),
  TIDEMARK_RUNNER_TEMPLATE: Optional(
    Text(
      1,
      253,
      'Name of the PodTemplate, in the namespace of the operator, that it starts runner pods from; see ' +
        'docs/runners.md. Unset: the operator starts none.',
    ),
  ),
  TIDEMARK_RUNNER_SLOTS: Whole(1, 100, {
    default: 4,
    description: 'Checks of one runner pod at the same time, for the operator.',
  }),
  TIDEMARK_RUNNER_MAX: Whole(0, 1000, {
    default: 10,
    description: 'Runner pods that the operator starts at most, at the same time. 0: none.',
  }),
  TIDEMARK_RUNNER_CHECKS: Whole(1, 100_000, {
    default: 100,
    description:
      'Checks that one runner pod may claim in all; then it ends. A pod that a page took over gets no more than these.',
  }),
  TIDEMARK_RUNNER_LIFETIME_SECONDS: Whole(60, 86_400, {
    default: 3600,
    description: 'Seconds after which the token of a runner pod expires. The pod ends before that.',
  }),
  TIDEMARK_RUNNER_START_SECONDS: Whole(10, 3600, {
    default: 300,
    description: 'Seconds after which the operator gives up a runner pod that does not run; see docs/runners.md.',
  }),
  CHROMIUM_PATH: Optional(
    Text(1, 1024, 'Chromium program to use. Unset: the embedded one; on platforms without it, an installed one.'),
  ),
  TIDEMARK_CHROMIUM_SANDBOX: Choice(['required', 'auto'], {
    default: 'required',
    description:
      'required: no page is rendered where the kernel allows the browser no sandbox of its own. auto: it runs ' +
      'without one there, in another container, which TIDEMARK_BROWSER_SOCKET leads to; see docs/runners.md.',
  }),
  TIDEMARK_BROWSER_SOCKET: Optional(
    Text(
      1,
      100,
      'Unix socket of "tidemark browser", which starts the browsers of a runner in another container. Unset: ' +
        'browsers are started by the process that uses them.',
    ),
  ),
  TIDEMARK_CHECK_CONCURRENCY: Whole(1, 10_000, {
    default: 128,
    description:
      'Concurrent static checks in one worker. Unless a team is alone, it leaves slots to the others: a quarter if ' +
      'its checks are quick, most of them if its sites do not answer.',
  }),
  LLM_BASE_URL: Optional(
    Text(
      1,
      2048,
      'OpenAI-compatible endpoint for prompt extraction; see docs/prompt.md. Example: ' +
        'https://models.example.com/v1. Unset: runs of prompt monitors fail.',
    ),
  ),
  LLM_API_KEY: Optional(Text(1, 4096, 'API key for LLM_BASE_URL. Unset: no key is sent.')),
  LLM_MODEL: Type.String({
    minLength: 1,
    maxLength: 256,
    default: 'gpt-4.1-mini',
    description: 'Model name for prompt extraction.',
  }),
  TIDEMARK_LLM_CONCURRENCY: Whole(1, 1000, {
    default: 8,
    description: 'Concurrent requests to the model, for each process. One team can use at most half of them.',
  }),
  TIDEMARK_LLM_TIMEOUT_SECONDS: Whole(1, 600, {
    default: 30,
    description: 'Time limit for one answer of the model, in seconds.',
  }),
  TIDEMARK_PROXY_URL: Optional(
    Text(
      1,
      2048,
      'HTTP proxy that a check uses after the site refused it: http://user:password@host:port or https://…; ' +
        'see docs/proxy.md. Unset: no proxy.',
    ),
  ),
  S3_BUCKET: Optional(
    Text(1, 255, 'Bucket for pictures; see docs/visual.md. Unset: the folder images under TIDEMARK_DATA_DIR.'),
  ),
  S3_ENDPOINT: Optional(
    Text(1, 2048, 'S3-compatible service that holds S3_BUCKET. Example: http://minio:9000. Unset: AWS, in AWS_REGION.'),
  ),
  AWS_REGION: Type.String({ minLength: 1, maxLength: 64, default: 'us-east-1', description: 'Region of S3_BUCKET.' }),
  AWS_ACCESS_KEY_ID: Optional(Text(1, 256, 'Access key ID for S3_BUCKET. Required with S3_BUCKET.')),
  AWS_SECRET_ACCESS_KEY: Optional(Text(1, 1024, 'Secret access key for S3_BUCKET. Required with S3_BUCKET.')),
  AWS_SESSION_TOKEN: Optional(Text(1, 8192, 'Session token for S3_BUCKET. Needed with temporary credentials only.')),
  TIDEMARK_METRICS_PORT: Optional(
    Whole(0, 65_535, {
      description:
        'Port for /healthz, /readyz and /metrics. Unset: an API serves them on PORT, and a worker or runner ' +
        'does not serve them.',
    }),
  ),
  TIDEMARK_METRICS_TOKEN: Optional(
    Text(
      16,
      256,
      'Token that a request for /metrics must send, as Authorization: Bearer …. Without it, an API whose HOST is not ' +
        'a loopback address serves no /metrics on PORT; use TIDEMARK_METRICS_PORT.',
    ),
  ),
  TIDEMARK_MONITOR_METRICS: Whole(0, 10_000, {
    default: 0,
    description:
      'Monitors that /metrics of a worker shows one by one: time since the last success, failures in a row, numeric ' +
      'values; see docs/logs.md. 0: none.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Optional(
    Text(
      1,
      2048,
      'Trace collector that takes OTLP over HTTP; see docs/logs.md. Example: http://127.0.0.1:4318. Unset: no traces.',
    ),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Optional(
    Text(
      1,
      4096,
      'Headers for OTEL_EXPORTER_OTLP_ENDPOINT, comma-separated: authorization=Bearer%20…. Values are percent-encoded.',
    ),
  ),
  OTEL_SERVICE_NAME: Type.String({
    minLength: 1,
    maxLength: 255,
    default: 'tidemark',
    description: 'Name of this process in traces.',
  }),
  TIDEMARK_TRACE_PERCENT: Whole(0, 100, { default: 100, description: 'Traces that are sent, of a hundred.' }),
  TIDEMARK_LOG_LEVEL: Choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'Lowest level of log lines that are written.',
  }),
})
export type Config = Static<typeof Config>
