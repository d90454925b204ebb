import type { Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { createKubeClient } from '../../operator/cluster/kube-client.ts'
import { type Operator, startOperator } from '../../operator/operator.ts'
import { openStore, type Store } from '../../store/db/client.ts'
import { noteEncryptionKey } from '../../store/secrets/encryption-key-check.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Stack } from '../process/stack.ts'
import type { Settings } from '../settings/read-config.ts'

interface OperatorContext {
  readonly settings: Settings
  readonly databaseUrl: string
  readonly secrets: SecretBox
  readonly encryptionKey: string
  readonly egress: EgressPolicy
  readonly registry: Registry
  readonly log: Logger
  readonly stack: Stack
}

/** The options of `tidemark operator`. */
export interface OperatorFlags {
  readonly kubeconfig?: string
  /** The id of a team. */
  readonly defaultTeam?: string
  /** The id of the cluster that the records belong to. Default: the cluster's own. */
  readonly clusterId?: string
  /** Only removes the finalizers of all resources. */
  readonly stripFinalizers?: boolean
  /** The namespaces that the default team holds in. Default: the namespace of the context. */
  readonly namespace?: readonly string[]
  /** The Secrets of the installation, in the namespace of the context: no resource reads them. */
  readonly ownSecrets?: readonly string[]
  /** Secrets are read without the label too, but not in the namespace of the context. */
  readonly readUnlabelledSecrets?: boolean
  /** Metrics have a series for each resource. */
  readonly metricsPerResource?: boolean
}

/** Starts an operator; the stack stops it. */
export async function startOperatorParts(
  { settings, databaseUrl, secrets, encryptionKey, egress, registry, log, stack }: OperatorContext,
  { kubeconfig, defaultTeam, namespace, clusterId, ownSecrets, readUnlabelledSecrets, ...flags }: OperatorFlags,
): Promise<{ readonly operator: Operator; readonly store: Store; readonly server: string }> {
  const store = await openStore({ url: databaseUrl, name: 'tidemark operator', log, connections: 20 })
  stack.defer('the store of the operator', () => store.end())
  await noteEncryptionKey(store, secrets)
  const client = createKubeClient(kubeconfig)
  stack.defer('the connections to the API server', () => client.close())
  const operator = await startOperator({
    client,
    store,
    secrets,
    encryptionKey,
    clusterId,
    egress,
    defaultTeam: defaultTeam === undefined ? null : { id: defaultTeam, namespaces: namespace ?? [client.namespace] },
    namespace: client.namespace,
    secretRules: { requireLabel: readUnlabelledSecrets !== true, own: ownSecrets ?? [] },
    serpSpacingMs: settings.TIDEMARK_SERP_SPACING_MS,
    runners: runnersOf(settings),
    registry,
    metricsPerResource: flags.metricsPerResource === true,
    log,
  })
  stack.defer('the operator', () => operator.stop())
  return { operator, store, server: client.server }
}

function runnersOf(settings: Settings) {
  const { TIDEMARK_RUNNER_TEMPLATE: template, TIDEMARK_RUNNER_MAX: max } = settings
  if (template === undefined || max === 0) return null
  return {
    template,
    max,
    slots: settings.TIDEMARK_RUNNER_SLOTS,
    checks: settings.TIDEMARK_RUNNER_CHECKS,
    lifetimeSeconds: settings.TIDEMARK_RUNNER_LIFETIME_SECONDS,
    startSeconds: settings.TIDEMARK_RUNNER_START_SECONDS,
  }
}
