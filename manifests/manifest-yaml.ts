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

/**
 * Returns the manifest as YAML, below a comment that lists the keys of its Secret. Readers of YAML 1.1 and 1.2 get the
 * same result.
 */
export function manifestYaml({ manifest, secrets }: MonitorManifest, name: string): string {
  const document = new Document(manifest, DOCUMENT)
  visit(document, { Scalar: (_, scalar) => quote(scalar) })
  return comment(secrets, name) + document.toString(LINES).replaceAll(NOT_ESCAPED, escaped)
}

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
