import { Document, type Scalar, visit } from 'yaml'
import type { MonitorManifest } from '../core/custom-resource/monitor-manifest.ts'

/** kubectl reads YAML 1.1, in which a plain `no` is false and `1_000` is a number. */
const DOCUMENT = { compat: 'yaml-1.1', aliasDuplicateObjects: false } as const
const LINES = { lineWidth: 0, doubleQuotedAsJSON: true } as const

/**
 * Characters that a reader of YAML 1.1 folds or drops, or that may not start a block. All readers agree only on escapes
 * in quotes.
 */
const UNLIKE = /[^\P{Cc}\n]|[\u2028\u2029\ufeff]/u
/** Those of these characters that JSON does not escape. */
const NOT_ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff]/g

/** The writer of YAML takes forty times as long as that of JSON. A part with more characters is written as JSON. */
const LONGEST_PART = 64 * 1024

/**
 * Returns the manifest as YAML, below a comment that lists the keys of its Secret. Readers of YAML 1.1 and 1.2 get the
 * same result. A `spec` that is long, such as one with thousands of conditions, is JSON, which is YAML too.
 */
export function manifestYaml({ manifest, secrets }: MonitorManifest, name: string): string {
  const parts = Object.entries(manifest).map(([key, part]) => ({ key, part, json: JSON.stringify(part, null, 2) }))
  const isLong = ({ json }: { readonly json: string }) => json.length > LONGEST_PART
  const text = parts.some(isLong)
    ? parts.map((one) => (isLong(one) ? jsonPart(one) : yamlOf({ [one.key]: one.part }))).join('')
    : yamlOf(manifest)
  return comment(secrets, name) + text.replaceAll(NOT_ESCAPED, escaped)
}

function yamlOf(value: object): string {
  const document = new Document(value, DOCUMENT)
  visit(document, { Scalar: (_, scalar) => quote(scalar) })
  return document.toString(LINES)
}

const jsonPart = ({ key, json }: { readonly key: string; readonly json: string }) =>
  `${key}:\n  ${json.replaceAll('\n', '\n  ')}\n`

function quote(scalar: Scalar): void {
  if (typeof scalar.value === 'string' && UNLIKE.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

function comment(secrets: MonitorManifest['secrets'], name: string): string {
  if (secrets.length === 0) return ''
  const lines = [
    `Values that may be secret are not shown. The Secret ${name} in the same namespace has to hold them:`,
    ...secrets.map(({ key, what }) => `  ${key}: ${what}`),
  ]
  return lines.map((line) => `# ${line}\n`).join('')
}
