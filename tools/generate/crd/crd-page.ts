import { stringify } from 'yaml'
import { customResourceDefinition } from './custom-resource-definition.ts'
import type { Kind } from './kinds.ts'

// Some readers still follow YAML 1.1, where a key `y` is true.
const OPTIONS = { version: '1.1', lineWidth: 80, aliasDuplicateObjects: false } as const

/** Returns the text of the file of a kind in `crds/`. */
export const crdPage = (kind: Kind): string =>
  `# Generated from ${kind.source} by \`npm run gen\`.\n${stringify(customResourceDefinition(kind), OPTIONS)}`
