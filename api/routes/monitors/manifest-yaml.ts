import { stringify } from 'yaml'
import type { MonitorManifest } from '../../../core/custom-resource/monitor-manifest.ts'

/** The manifest as YAML, below a comment that says what its Secret has to hold. */
export function manifestYaml({ manifest, secrets }: MonitorManifest, name: string): string {
  return comment(secrets, name) + stringify(manifest, { lineWidth: 0 })
}

function comment(secrets: MonitorManifest['secrets'], name: string): string {
  if (secrets.length === 0) return ''
  const lines = [
    `Values that may be secret are not shown. The Secret ${name} in the same namespace has to hold them:`,
    ...secrets.map(({ key, what }) => `  ${key}: ${what}`),
  ]
  return lines.map((line) => `# ${line}\n`).join('')
}
