/**
 * Where a custom resource may name a Secret instead of writing the secret down. Beside the key stands `<key>From`:
 *
 * - of a text, `urlFrom: {secretKeyRef: {name, key}}`, in place of `url`;
 * - of a map, `headersFrom: [{name, secretKeyRef: {name, key}}]`, in addition to `headers`.
 *
 * Places are written as in the API, lists by `[]` (docs/decisions/0006-secrets-beside-literals.md).
 */
export const SECRET_PLACES = [
  'request_headers',
  'deliveries[].url',
  'deliveries[].headers',
  'deliveries[].webhookUrl',
] as const

/** The key beside `key` that names a Secret instead, in the resource's spelling. */
export const secretKeyBeside = (key: string): string => `${key}From`
