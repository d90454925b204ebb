import Type from 'typebox'
import type { TProperties, TSchema } from 'typebox'
import { Config } from '../config/config.ts'
import { SECRET_SETTINGS } from '../config/secret-settings.ts'
import { ofFamily } from './value-families.ts'
import { existing } from './value-shapes.ts'

/** Settings that the chart's templates set themselves, from their own values or from what they know of a pod. */
export const CHART_SETTINGS = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'TIDEMARK_DATA_DIR',
  'TIDEMARK_ENCRYPTION_KEY',
  'TIDEMARK_OWNER_EMAIL',
  'TIDEMARK_BASE_URL',
  'TIDEMARK_METRICS_PORT',
  'TIDEMARK_RUNNER_API_PORT',
  'TIDEMARK_RUNNER_API_URL',
  'TIDEMARK_RUNNER_TOKEN',
  'TIDEMARK_RUNNER_IDLE_SECONDS',
  'TIDEMARK_RUNNER_TEMPLATE',
  'TIDEMARK_RUNNER_SLOTS',
  'TIDEMARK_RUNNER_MAX',
  'TIDEMARK_CHROMIUM_SANDBOX',
  'TIDEMARK_BROWSER_SOCKET',
  'TIDEMARK_BROWSER_PAGES',
  'TIDEMARK_ALLOW_PRIVATE_CIDRS',
  'TIDEMARK_DENY_CIDRS',
  'TIDEMARK_INSTALLED_BY',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
] as const satisfies readonly (keyof Config)[]

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name)

/** Settings that a start refuses without a scheme. */
const ADDRESSES: readonly (keyof Config)[] = [
  'TIDEMARK_DASHBOARD_URL',
  'TIDEMARK_OIDC_ISSUER',
  'TIDEMARK_SERP_PROVIDER_URL',
  'LLM_BASE_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
]

export const settings: TProperties = Object.fromEntries(
  Object.entries(Config.properties as Readonly<Record<string, TSchema>>)
    .filter(([name]) => !isOneOf(CHART_SETTINGS, name) && !isOneOf(SECRET_SETTINGS, name))
    .map(([name, schema]) => [
      name,
      Type.Optional(isOneOf(ADDRESSES, name) ? ofFamily('http_address', schema) : schema),
    ]),
)

export const secretSettings: TProperties = Object.fromEntries(
  SECRET_SETTINGS.filter((name) => !isOneOf(CHART_SETTINGS, name)).map((name) => [
    name,
    Type.Optional(existing(name, (Config.properties[name] as { readonly description?: string }).description ?? '')),
  ]),
)
