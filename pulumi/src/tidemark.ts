import * as k8s from '@pulumi/kubernetes'
import * as pulumi from '@pulumi/pulumi'
import { join, relative, sep } from 'node:path'
import type { ChartValues } from './inputs/chart-values'

/** How Tidemark is installed. */
export interface TidemarkArgs {
  /** The values of the chart. docs/kubernetes-install.md says which of them it asks for. */
  values?: pulumi.Input<ChartValues>
  /** The namespace. Default: tidemark. */
  namespace?: pulumi.Input<string>
  /** Whether the namespace is made where it is missing. Default: true. */
  createNamespace?: pulumi.Input<boolean>
  /** The name of the Helm release. Default: the name of the component. */
  releaseName?: pulumi.Input<string>
  /** Another chart than the one in this package: a folder, an archive or an oci:// address. */
  chart?: pulumi.Input<string>
  /** The version of that chart. */
  version?: pulumi.Input<string>
  /** Seconds that the update waits until all of it is ready. Default: 600. */
  timeoutSeconds?: pulumi.Input<number>
}

/**
 * Tidemark in a cluster: a release of its Helm chart, with the custom resource definitions. A `Monitor` of the same
 * program needs `dependsOn` it. No API key comes of it: a key cannot make keys, so the first owner's is read from the
 * Secret that the chart's setup makes.
 */
export class Tidemark extends pulumi.ComponentResource {
  /** The release. */
  readonly release: k8s.helm.v3.Release
  /** The namespace that it is installed into. */
  readonly namespace: pulumi.Output<string>

  constructor(name: string, args: TidemarkArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    super('tidemark:index:Tidemark', name, {}, opts)
    this.namespace = pulumi.output(args.namespace ?? 'tidemark')
    this.release = new k8s.helm.v3.Release(
      name,
      {
        name: args.releaseName ?? name,
        chart: args.chart ?? packagedChart(),
        version: args.version,
        namespace: this.namespace,
        createNamespace: args.createNamespace ?? true,
        values: args.values as pulumi.Input<Record<string, unknown>> | undefined,
        timeout: args.timeoutSeconds ?? 600,
      },
      { parent: this },
    )
    this.registerOutputs({ release: this.release, namespace: this.namespace })
  }
}

/**
 * Returns the path of the chart in this package from the program's folder. An absolute one would differ from machine
 * to machine, and each would see a change.
 */
function packagedChart(): string {
  const path = relative(process.cwd(), join(__dirname, '../chart')).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}
