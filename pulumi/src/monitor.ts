import type * as pulumi from '@pulumi/pulumi'
import { DeclaredResource } from './declared-resource'
import type { DeclaredResourceArgs } from './declared-resource'
import type { MonitorSpecArgs } from './inputs/custom-resource'

/** The configuration of a monitor, and how its resource is declared. */
export interface MonitorArgs extends MonitorSpecArgs, DeclaredResourceArgs {}

/** A monitor of a page, an API or a feed, declared as the custom resource `Monitor`. The operator keeps it running. */
export class Monitor extends DeclaredResource {
  constructor(name: string, args: MonitorArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Monitor', name, args, opts)
  }
}
