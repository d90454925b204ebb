import type { Config } from './config.ts'

/** Settings whose value never appears in a log or an error. Each may be read from a file instead (`secretFileOf`). */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'SMTP_URL',
  'TIDEMARK_OIDC_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'LLM_API_KEY',
  'TIDEMARK_PROXY_URL',
  'TIDEMARK_RUNNER_TOKEN',
  'TIDEMARK_SERP_PROVIDER_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'TIDEMARK_ENCRYPTION_KEY',
  'TIDEMARK_METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const satisfies readonly (keyof Config)[]

/**
 * Those that a running process uses as soon as SIGHUP lets it read their files again. The others are read at a start:
 * connections, sessions and what is encrypted depend on them.
 */
export const LIVE_SECRETS = [
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'LLM_API_KEY',
  'TIDEMARK_SERP_PROVIDER_KEY',
  'TIDEMARK_METRICS_TOKEN',
] as const satisfies readonly (typeof SECRET_SETTINGS)[number][]

/** Returns the variable that names the file of a secret setting. */
export const secretFileOf = (name: (typeof SECRET_SETTINGS)[number]): string => `${name}_FILE`
