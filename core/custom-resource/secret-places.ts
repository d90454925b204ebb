/**
 * The paths at which a custom resource may name a Secret instead of containing the secret. The key is `<key>From`:
 *
 * - for a text, `urlFrom: {secretKeyRef: {name, key}}`, in place of `url`;
 * - for a map, `headersFrom: [{name, secretKeyRef: {name, key}}]`, in addition to `headers`.
 *
 * Paths are written as in the API, lists as `[]` (docs/decisions/0006-secrets-beside-literals.md).
 */
export const SECRET_PLACES = [
  'request_headers',
  'deliveries[].url',
  'deliveries[].headers',
  'deliveries[].options',
  'deliveries[].body',
  'deliveries[].webhookUrl',
] as const

/** Returns the key that names a Secret in place of `key`, in the resource's spelling. */
export const secretKeyBeside = (key: string): string => `${key}From`
