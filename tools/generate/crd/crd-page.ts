import { stringify } from 'yaml'
import { monitorCrd } from './monitor-crd.ts'

// Readers of YAML 1.1 are about, to whom a key `y` is true.
const OPTIONS = { version: '1.1', lineWidth: 80, aliasDuplicateObjects: false } as const

/** Returns the text of crds/tidemark.dev_monitors.yaml. */
export const monitorCrdPage = (): string =>
  `# Generated from schema/monitor/monitor.ts by \`npm run gen\`.\n${stringify(monitorCrd(), OPTIONS)}`
