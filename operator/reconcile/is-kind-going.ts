import { definitionName, type ResourceKind } from '../../schema/resource-kind.ts'
import { type KubeClient, KubeError } from '../cluster/kube-client.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Returns whether the definition of a kind, and so all its resources, is being deleted. */
export async function isKindGoing(client: KubeClient, kind: ResourceKind): Promise<boolean> {
  type Definition = { readonly metadata?: { readonly deletionTimestamp?: string } }
  const answer = await client.call<Definition>({ method: 'GET', path: `${DEFINITIONS}/${definitionName(kind)}` })
  // Without the right to look, a deletion counts as what it usually is. After any other answer it is tried again: a
  // record that is deleted does not come back.
  if (![200, 403, 404].includes(answer.status)) throw new KubeError(`the definition of ${kind.kind}`, answer)
  return answer.status === 404 || (answer.status === 200 && answer.body.metadata?.deletionTimestamp !== undefined)
}
