import type { ResourceKind } from '../../schema/resource-kind.ts'
import { type KubeClient, KubeError, MERGE_PATCH, METADATA_ONLY } from '../cluster/kube-client.ts'
import { type CustomResource, FINALIZER, pathOf } from './custom-resource.ts'

/** Adds the finalizer to a resource, or takes it away. Returns the resource as it is then. Null: it is gone. */
export async function setFinalizer(
  client: KubeClient,
  kind: ResourceKind,
  resource: CustomResource,
  isThere: boolean,
): Promise<CustomResource | null> {
  const { finalizers = [], resourceVersion } = resource.metadata
  const others = finalizers.filter((one) => one !== FINALIZER)
  // The version makes the patch conditional: another controller may have changed the list.
  const body = { metadata: { resourceVersion, finalizers: isThere ? [...others, FINALIZER] : others } }
  const answer = await client.call<CustomResource>({
    method: 'PATCH',
    path: pathOf(kind, resource),
    body,
    contentType: MERGE_PATCH,
    accept: METADATA_ONLY,
  })
  // A resource that is gone needs no finalizer.
  if (answer.status === 404) return null
  if (answer.status >= 300) throw new KubeError('the finalizer of a resource', answer)
  return { ...resource, metadata: answer.body.metadata }
}
