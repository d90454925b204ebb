import type { KubeClient } from './kube-client.ts'

const SERVICE_ACCOUNT = 'system:serviceaccount:'

/**
 * Returns what tells this installation from an earlier one: the uid of the service account of the client, which lives
 * as long as the release. Null: the client has none, as outside of a cluster, or the API server does not tell.
 */
export async function installationOf(client: KubeClient): Promise<string | null> {
  const answer = await client.call<{
    readonly status?: { readonly userInfo?: { readonly username?: string; readonly uid?: string } }
  }>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  })
  const { username = '', uid = '' } = (answer.status < 300 && answer.body.status?.userInfo) || {}
  return username.startsWith(SERVICE_ACCOUNT) && uid !== '' ? uid : null
}
