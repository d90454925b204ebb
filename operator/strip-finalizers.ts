import { sleep } from '../concurrency/loops/sleep.ts'
import { ExplainedError } from '../core/explained-error.ts'
import { type ResourceKind, resourcesPath } from '../schema/resource-kind.ts'
import { installationOf } from './cluster/installation-of.ts'
import { type KubeClient, KubeError, MERGE_PATCH } from './cluster/kube-client.ts'
import { OPERATOR_LEASE } from './cluster/lease.ts'
import { seizeLease } from './cluster/seize-lease.ts'
import { type CustomResource, FINALIZER, pathOf } from './reconcile/custom-resource.ts'
import { KINDS } from './reconcile/kinds.ts'

/** Longer than the finalizers of very many resources take. */
const SEIZED_SECONDS = 600
/**
 * Long enough for an uninstall to remove the operators afterwards. Those that are still there then go on, and so does a
 * new installation.
 */
const LEFT_SECONDS = 120
/** A leader looks at its lease every two seconds. */
const LEADER_LOOKS_MS = 3_000
/** A leader that has not seen the seizure yet sets finalizers once or twice. */
const MAX_RETURNS = 5
const PAGE = 500

/**
 * Removes the finalizer of all resources of all kinds, so that they and their namespaces can be deleted when no
 * operator is there any more. Their records stay. A leader would set the finalizers again, so the lease is seized
 * first. Returns the number of resources that had one.
 */
export async function stripFinalizers(client: KubeClient, looksMs = LEADER_LOOKS_MS): Promise<number> {
  const installation = await installationOf(client)
  await seizeLease(client, client.namespace, SEIZED_SECONDS, installation)
  const stripped = new Set<string>()
  for (let cameBack = 0; ;) {
    const found: string[] = []
    for (const { records } of KINDS)
      for (const resource of await withFinalizer(client, records.resource)) {
        await strip(client, records.resource, resource)
        found.push(resource.metadata.uid)
      }
    cameBack = found.some((uid) => stripped.has(uid)) ? cameBack + 1 : 0
    for (const uid of found) stripped.add(uid)
    if (cameBack === MAX_RETURNS) throw new OtherLeaseError(client.namespace)
    // The next look sees what a leader sets in this time.
    await sleep(looksMs)
    if (found.length > 0) continue
    await seizeLease(client, client.namespace, LEFT_SECONDS, installation)
    return stripped.size
  }
}

/** Finalizers come back, because an operator works that the seized lease does not stop. */
class OtherLeaseError extends ExplainedError {
  override readonly name = 'OtherLeaseError'

  constructor(namespace: string) {
    super(
      `the finalizers come back: an operator works that does not use the lease ${namespace}/${OPERATOR_LEASE}. ` +
        'Stop it, or run this with its namespace in the context of the kubeconfig: ' +
        `kubectl get lease --all-namespaces --field-selector metadata.name=${OPERATOR_LEASE}`,
    )
  }
}

async function withFinalizer(client: KubeClient, kind: ResourceKind): Promise<readonly CustomResource[]> {
  const found: CustomResource[] = []
  let token = ''
  do {
    const query = new URLSearchParams({ limit: String(PAGE), ...(token !== '' && { continue: token }) })
    const answer = await client.call<{
      readonly items?: readonly CustomResource[]
      readonly metadata?: { readonly continue?: string }
    }>({ method: 'GET', path: `${resourcesPath(kind)}?${query.toString()}` })
    // Without the definition there are no resources.
    if (answer.status === 404) return []
    if (answer.status !== 200) throw new KubeError(`the list of ${kind.plural}`, answer)
    found.push(...(answer.body.items ?? []).filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER)))
    token = answer.body.metadata?.continue ?? ''
  } while (token !== '')
  return found
}

async function strip(client: KubeClient, kind: ResourceKind, resource: CustomResource): Promise<void> {
  const { resourceVersion, finalizers = [] } = resource.metadata
  const body = { metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== FINALIZER) } }
  const answer = await client.call({ method: 'PATCH', path: pathOf(kind, resource), body, contentType: MERGE_PATCH })
  // One that is gone needs nothing; one that changed is in the next list.
  if (answer.status >= 300 && ![404, 409].includes(answer.status))
    throw new KubeError('the finalizer of a resource', answer)
}
