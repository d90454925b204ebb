import { stringify } from 'yaml'
import { monitorCrd } from './monitor-crd.ts'

// Some readers use YAML 1.1, in which a key `y` means true.
const OPTIONS = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const

/** Returns the text of crds/tidemark.dev_monitors.yaml. */
export const monitorCrdPage = (): string =>
  `# Generated from schema/monitor/monitor.ts by \`npm run gen\`.\n${stringify(monitorCrd(), OPTIONS)}`
