import { type KubeAnswer, type KubeClient, KubeError, MERGE_PATCH } from './kube-client.ts'

/** The content of a Secret, as text. */
type SecretContent = Readonly<Record<string, string>>

interface StoredSecret {
  readonly data?: Readonly<Record<string, string>>
}

/** The label of Secrets that the setup of a release made. An uninstall leaves them. */
export const SETUP_LABELS = { 'app.kubernetes.io/name': 'tidemark', 'app.kubernetes.io/component': 'setup' }

/**
 * Returns the Secret of the client's namespace, and makes it with `content` where there is none. An existing one stays
 * as it is. Throws a KubeError.
 */
export async function ensureSecret(
  client: KubeClient,
  name: string,
  content: SecretContent,
): Promise<{ readonly content: SecretContent; readonly isNew: boolean }> {
  const metadata = { name, labels: SETUP_LABELS }
  const made = await client.call<StoredSecret>({
    method: 'POST',
    path: `/api/v1/namespaces/${client.namespace}/secrets`,
    body: { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData: content },
  })
  if (made.status === 201) return { content, isNew: true }
  if (made.status !== 409) throw new KubeError(`the Secret ${name}`, made)
  const found = await client.call<StoredSecret>({ method: 'GET', path: pathOf(client, name) })
  if (found.status !== 200) throw new KubeError(`the Secret ${name}`, found)
  return { content: textOf(found), isNew: false }
}

/** Sets keys of a Secret, and removes those that are null. Throws a KubeError. */
export async function changeSecret(
  client: KubeClient,
  name: string,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(changes).map(([key, text]) => [key, text === null ? null : Buffer.from(text).toString('base64')]),
  )
  const path = pathOf(client, name)
  const answer = await client.call({ method: 'PATCH', path, body: { data }, contentType: MERGE_PATCH })
  if (answer.status !== 200) throw new KubeError(`the Secret ${name}`, answer)
}

const pathOf = ({ namespace }: KubeClient, name: string) => `/api/v1/namespaces/${namespace}/secrets/${name}`

const textOf = ({ body }: KubeAnswer<StoredSecret>): SecretContent =>
  Object.fromEntries(
    Object.entries(body.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
