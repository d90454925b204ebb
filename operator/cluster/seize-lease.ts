import { type KubeClient, KubeError } from './kube-client.ts'
import { microTime } from './kube-object.ts'
import { INSTALLATION, type Lease, leasesIn, OPERATOR_LEASE, UNINSTALL } from './lease.ts'

/**
 * Takes the lease of the operators for this long, in seconds, whichever process has it. A leader stops when it sees
 * that, and nobody leads until the time is over. `installation` is that of the process, as `installationOf` returns it.
 */
export async function seizeLease(
  client: KubeClient,
  namespace: string,
  seconds: number,
  installation: string | null,
): Promise<void> {
  const [name, identity] = [OPERATOR_LEASE, UNINSTALL]
  const collection = leasesIn(namespace)
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const found = await client.call<Lease>({ method: 'GET', path: `${collection}/${name}` })
    const isThere = found.status === 200
    const now = microTime(new Date())
    const spec = { holderIdentity: identity, leaseDurationSeconds: seconds, acquireTime: now, renewTime: now }
    // The operators of the installation that held it know by the annotation that this is about them.
    const { resourceVersion, annotations } = isThere ? found.body.metadata : {}
    // An uninstall runs as the account of the operators. Where none of them ever led, nobody has said which it is.
    const known = { ...(installation !== null && { [INSTALLATION]: installation }), ...annotations }
    const metadata = { name, namespace, ...(isThere && { resourceVersion }), annotations: known }
    const answer = await client.call<Lease>({
      method: isThere ? 'PUT' : 'POST',
      path: isThere ? `${collection}/${name}` : collection,
      body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec },
    })
    if (answer.status < 300) return
    // Somebody else has written at the same time.
    if (answer.status !== 409) throw new KubeError('the lease of the operators', answer)
  }
  throw new Error(`the lease ${namespace}/${name} changes all the time`)
}
