import * as pulumi from '@pulumi/pulumi'
import type { MonitorSpecArgs, SerpMonitorSpecArgs } from '../inputs/record'
import type { RecordKind } from './body'
import type { provider } from './provider'

type Provider = typeof provider
type Props = Readonly<Record<string, unknown>>

/** What a record takes beside its configuration. */
export interface RecordArgs {
  /** Id of a monitor that exists. It is taken over, with its history, in place of a new one. Read at creation only. */
  adopt?: pulumi.Input<string>
  /**
   * Which installation the record belongs to: the namespace of the settings `baseUrl` and `apiKey` in the stack's
   * configuration. Default: tidemark.
   */
  connection?: pulumi.Input<string>
}

/** The configuration of a monitor. */
export interface MonitorArgs extends MonitorSpecArgs, RecordArgs {}

/** The configuration of a monitor of a search. */
export interface SerpMonitorArgs extends SerpMonitorSpecArgs, RecordArgs {}

/**
 * Returns the methods that Pulumi calls in a separate process. It writes their text into the state, so they are only
 * calls into this package, and no setting of the program is among them.
 */
function methodsOf(kind: RecordKind): pulumi.dynamic.ResourceProvider<Props, Props> {
  // Resolved in the folder of the program, whose package this is.
  const load = () => require('@tidemark/pulumi/provider') as { readonly provider: Provider }
  return {
    configure: async ({ config }) => load().provider.configure(config),
    check: async (olds, news) => load().provider.check(kind, olds, news),
    diff: async (id, olds, news) => load().provider.diff(kind, id, { olds, news }),
    create: (inputs) => load().provider.create(kind, inputs),
    read: (id, props) => load().provider.read(kind, id, props ?? {}),
    update: (id, olds, news) => load().provider.update(kind, id, { olds, news }),
    delete: (id, props) => load().provider.delete(kind, id, props),
  }
}

const methods = { Monitor: methodsOf('Monitor'), SerpMonitor: methodsOf('SerpMonitor') }

/** Addresses of destinations and values of headers may be secrets, whatever the program calls them. */
const SECRETS = ['deliveries', 'requestHeaders']

/**
 * Returns the arguments with the name of the record; one that is imported has that which it has. It is a copy, because
 * Pulumi adds to it.
 *
 * The id to import is an argument, and no option for Pulumi: its engine reads what is to be imported without the text
 * of the methods, so it cannot import any dynamic resource (pulumi/pulumi#16175).
 */
const withKey = <T extends MonitorArgs | SerpMonitorArgs>(name: string, args: T, importedId?: pulumi.ID): T => {
  const { deliveries, requestHeaders } = args as MonitorArgs
  return {
    ...args,
    externalKey:
      args.externalKey ??
      (importedId === undefined ? `pulumi/${pulumi.getProject()}/${pulumi.getStack()}/${name}` : undefined),
    ...(importedId !== undefined && { importedId }),
    // The state has the arguments too, and a preview prints them.
    ...(deliveries !== undefined && { deliveries: pulumi.secret(deliveries) }),
    ...(requestHeaders !== undefined && { requestHeaders: pulumi.secret(requestHeaders) }),
  }
}

const withSecrets = (given: pulumi.CustomResourceOptions = {}): pulumi.CustomResourceOptions => {
  const { import: _, ...opts } = given
  return pulumi.mergeOptions(opts, { additionalSecretOutputs: SECRETS })
}

/** A monitor of a page, an API or a feed, made through the REST API. Its id is that of the record. */
export class Monitor extends pulumi.dynamic.Resource {
  constructor(name: string, args: MonitorArgs, opts?: pulumi.CustomResourceOptions) {
    super(methods.Monitor, name, withKey(name, args, opts?.import), withSecrets(opts), 'tidemark', 'Monitor')
  }
}

/** A monitor of a search, made through the REST API. Its id is that of the record. */
export class SerpMonitor extends pulumi.dynamic.Resource {
  constructor(name: string, args: SerpMonitorArgs, opts?: pulumi.CustomResourceOptions) {
    super(methods.SerpMonitor, name, withKey(name, args, opts?.import), withSecrets(opts), 'tidemark', 'SerpMonitor')
  }
}
