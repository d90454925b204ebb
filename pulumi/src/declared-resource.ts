import * as k8s from '@pulumi/kubernetes'
import * as pulumi from '@pulumi/pulumi'
import { RESOURCE_API } from './inputs/custom-resource'
import type { MonitorSpecArgs, SerpMonitorSpecArgs } from './inputs/custom-resource'
import { isKnown, sealSecrets } from './seal-secrets'

/** Where a custom resource is, and what it is marked with. */
export interface ResourceMetadataArgs {
  /** Its name in the namespace: a label of RFC 1123. Default: the name of the component. */
  name?: pulumi.Input<string>
  /** The namespace. Default: that of the provider. */
  namespace?: pulumi.Input<string>
  /** Labels of the resource. */
  labels?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>
  /** Annotations of the resource, beside those that this package sets. */
  annotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>
}

/** What a custom resource takes beside its spec. */
export interface DeclaredResourceArgs {
  /** Name, namespace, labels and annotations of the resource. */
  metadata?: ResourceMetadataArgs
  /** Id of a monitor that was made through the API. The resource takes it over, with its history. */
  adopt?: pulumi.Input<string>
  /** Whether the update waits until the monitor is accepted and scheduled. Default: true. */
  waitForReady?: boolean
  /** Seconds that it waits for that. Default: 300. */
  readyTimeoutSeconds?: number
}

/** The label by which a Secret agrees that resources of its namespace read it. */
const READ_BY_MONITORS = 'tidemark.dev/monitors'
const ADOPT = 'tidemark.dev/adopt'
/** The rule of a label of RFC 1123, which names of custom resources here follow. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** A custom resource and, where its configuration has secrets, the Secret that it reads them from. */
export abstract class DeclaredResource extends pulumi.ComponentResource {
  /** The custom resource. */
  readonly resource: k8s.apiextensions.CustomResource
  /** The Secret with the values that the program gave as secrets or as outputs. */
  readonly secret: k8s.core.v1.Secret | undefined
  /** The name of the resource in its namespace. */
  readonly name: pulumi.Output<string>

  protected constructor(
    kind: 'Monitor' | 'SerpMonitor',
    name: string,
    { metadata = {}, adopt, waitForReady = true, readyTimeoutSeconds = 300, ...configuration }: DeclaredArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super(`tidemark:index:${kind}`, name, {}, opts)
    const { namespace, labels, annotations } = metadata
    const resourceName = metadata.name ?? name
    // A name that cannot be is told where the program says it.
    this.name = isKnown(resourceName)
      ? pulumi.output(checkedName(resourceName))
      : pulumi.output(resourceName).apply(checkedName)
    const secretName = this.name.apply((each) => `${each}-${kind.toLowerCase()}`)
    const sealed = sealSecrets(configuration, secretName)
    if (sealed.data !== undefined)
      this.secret = new k8s.core.v1.Secret(
        name,
        { metadata: { name: secretName, namespace, labels: withRead(labels) }, stringData: pulumi.secret(sealed.data) },
        { parent: this, additionalSecretOutputs: ['data', 'stringData'] },
      )
    const own: Annotations = waitForReady
      ? { 'pulumi.com/waitFor': 'condition=Ready', 'pulumi.com/timeoutSeconds': String(readyTimeoutSeconds) }
      : { 'pulumi.com/skipAwait': 'true' }
    if (adopt !== undefined) own[ADOPT] = adopt
    this.resource = new k8s.apiextensions.CustomResource(
      name,
      {
        apiVersion: RESOURCE_API,
        kind,
        metadata: {
          name: this.name,
          namespace,
          labels,
          annotations: pulumi.output(annotations).apply((given) => pulumi.output({ ...own, ...given })),
        },
        spec: sealed.spec,
      },
      { parent: this, dependsOn: this.secret ? [this.secret] : [] },
    )
    this.registerOutputs({ name: this.name, resource: this.resource, secret: this.secret })
  }
}

type DeclaredArgs = (MonitorSpecArgs | SerpMonitorSpecArgs) & DeclaredResourceArgs
type Annotations = Record<string, pulumi.Input<string>>

const withRead = (labels: ResourceMetadataArgs['labels']) =>
  pulumi.output(labels).apply((given) => ({ ...given, [READ_BY_MONITORS]: 'true' }))

/** Returns the name. Throws where an API server would not accept it. */
function checkedName(name: string): string {
  if (LABEL.test(name)) return name
  throw new Error(
    `"${name}" cannot be the name of a resource: use up to 63 letters a-z, digits and "-", or set metadata.name`,
  )
}
