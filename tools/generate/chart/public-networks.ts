import { stringify } from 'yaml'
import { NEVER_NETWORKS, PUBLIC_NETWORKS } from '../../../egress/address.ts'

/**
 * Returns the networks that network policies open as "public", which are those that the egress guard takes for public,
 * and those that no value opens.
 */
export const publicNetworks = (): string =>
  `# Generated from egress/address.ts by \`npm run gen\`.\n${stringify(NETWORKS)}`

const NETWORKS = { open: PUBLIC_NETWORKS, never: NEVER_NETWORKS }
