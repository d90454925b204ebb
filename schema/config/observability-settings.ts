import Type from 'typebox'
import { Choice, Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional

/** Metrics, traces and the log. */
export const OBSERVABILITY_SETTINGS = {
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
}
