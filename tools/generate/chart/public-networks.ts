import { stringify } from 'yaml'
import { PUBLIC_NETWORKS } from '../../../egress/address.ts'

/** Returns the networks that network policies open as "public": those that the egress guard takes for public. */
export const publicNetworks = (): string =>
  `# Generated from egress/address.ts by \`npm run gen\`.\n${stringify(PUBLIC_NETWORKS)}`
