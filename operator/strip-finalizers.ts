import { sleep } from '../concurrency/sleep.ts'
import { type KubeClient, KubeError, MERGE_PATCH } from './cluster/kube-client.ts'
import { OPERATOR_LEASE, seizeLease } from './cluster/leader.ts'
import { FINALIZER, MONITORS, type MonitorResource, pathOf } from './reconcile/monitor-resource.ts'

/** Long enough for an uninstall to remove the operators. After it, those that are still there go on. */
const SEIZED_SECONDS = 600
/** A leader looks at its lease every two seconds. */
const LEADER_LOOKS_MS = 3_000
const PAGE = 500

/**
 * Removes the finalizer of all resources, so that they and their namespaces can be deleted when no operator is there
 * any more. Their records stay. A leader would set the finalizers again, so the lease is seized first. Returns the
 * number of resources that had one.
 */
export async function stripFinalizers(client: KubeClient, looksMs = LEADER_LOOKS_MS): Promise<number> {
  const { namespace } = client
  await seizeLease(client, { namespace, name: OPERATOR_LEASE, identity: 'uninstall', seconds: SEIZED_SECONDS })
  const stripped = new Set<string>()
  for (;;) {
    const held = await withFinalizer(client)
    for (const resource of held) {
      await strip(client, resource)
      stripped.add(resource.metadata.uid)
    }
    // What a leader set meanwhile is seen by the next look.
    await sleep(looksMs)
    if (held.length === 0) return stripped.size
  }
}

async function withFinalizer(client: KubeClient): Promise<readonly MonitorResource[]> {
  const found: MonitorResource[] = []
  let token = ''
  do {
    const query = new URLSearchParams({ limit: String(PAGE), ...(token !== '' && { continue: token }) })
    const answer = await client.call<{
      readonly items?: readonly MonitorResource[]
      readonly metadata?: { readonly continue?: string }
    }>({ method: 'GET', path: `${MONITORS}?${query.toString()}` })
    // Without the definition there are no resources.
    if (answer.status === 404) return []
    if (answer.status !== 200) throw new KubeError('the list of Monitors', answer)
    found.push(...(answer.body.items ?? []).filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER)))
    token = answer.body.metadata?.continue ?? ''
  } while (token !== '')
  return found
}

async function strip(client: KubeClient, resource: MonitorResource): Promise<void> {
  const { resourceVersion, finalizers = [] } = resource.metadata
  const body = { metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== FINALIZER) } }
  const answer = await client.call({ method: 'PATCH', path: pathOf(resource), body, contentType: MERGE_PATCH })
  // One that is gone needs nothing; one that changed is in the next list.
  if (answer.status >= 300 && ![404, 409].includes(answer.status))
    throw new KubeError('the finalizer of a Monitor', answer)
}
