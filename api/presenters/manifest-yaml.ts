import { Document, type Scalar, visit } from 'yaml'
import type { MonitorManifest } from '../../core/custom-resource/monitor-manifest.ts'

/** kubectl reads YAML 1.1, in which a plain `no` is false and `1_000` a number. */
const DOCUMENT = { compat: 'yaml-1.1', aliasDuplicateObjects: false } as const
const LINES = { lineWidth: 0, doubleQuotedAsJSON: true } as const

/**
 * A reader of YAML 1.1 folds these, drops them, or refuses to start a block with them. Only escapes in quotes are read
 * alike by all.
 */
const UNLIKE = /[^\P{Cc}\n]|[\u2028\u2029\ufeff]/u
/** Of those, the ones that JSON leaves as they are. */
const NOT_ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff]/g

/**
 * Returns the manifest as YAML, below a comment that says what its Secret has to hold. Readers of YAML 1.1 and of 1.2
 * read the same.
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
