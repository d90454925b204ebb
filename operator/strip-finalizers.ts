import { sleep } from '../concurrency/sleep.ts'
import { type KubeClient, KubeError, MERGE_PATCH } from './cluster/kube-client.ts'
import { OPERATOR_LEASE, seizeLease } from './cluster/leader.ts'
import { type ResourceKind, resourcesPath } from '../schema/resource-kind.ts'
import { type CustomResource, FINALIZER, pathOf } from './reconcile/custom-resource.ts'
import { KINDS } from './reconcile/kinds.ts'

/** Long enough for an uninstall to remove the operators. After it, those that are still there go on. */
const SEIZED_SECONDS = 600
/** A leader looks at its lease every two seconds. */
const LEADER_LOOKS_MS = 3_000
const PAGE = 500

/**
 * Removes the finalizer of all resources of all kinds, so that they and their namespaces can be deleted when no
 * operator is there any more. Their records stay. A leader would set the finalizers again, so the lease is seized
 * first. Returns the number of resources that had one.
 */
export async function stripFinalizers(client: KubeClient, looksMs = LEADER_LOOKS_MS): Promise<number> {
  const { namespace } = client
  await seizeLease(client, { namespace, name: OPERATOR_LEASE, identity: 'uninstall', seconds: SEIZED_SECONDS })
  const stripped = new Set<string>()
  for (;;) {
    let found = 0
    for (const { records } of KINDS)
      for (const resource of await withFinalizer(client, records.resource)) {
        await strip(client, records.resource, resource)
        stripped.add(resource.metadata.uid)
        found += 1
      }
    // What a leader set meanwhile is seen by the next look.
    await sleep(looksMs)
    if (found === 0) return stripped.size
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
