import type * as pulumi from '@pulumi/pulumi'
import { DeclaredResource } from './declared-resource'
import type { DeclaredResourceArgs } from './declared-resource'
import type { SerpMonitorSpecArgs } from './inputs/custom-resource'

/** The configuration of a monitor of a search, and how its resource is declared. */
export interface SerpMonitorArgs extends SerpMonitorSpecArgs, DeclaredResourceArgs {}

/** A monitor of a search, declared as the custom resource `SerpMonitor`. The operator keeps it running. */
export class SerpMonitor extends DeclaredResource {
  constructor(name: string, args: SerpMonitorArgs, opts?: pulumi.ComponentResourceOptions) {
    super('SerpMonitor', name, args, opts)
  }
}
