import type { KubeObject } from './kube-object.ts'

/** The Lease that the operators of a cluster share. */
export const OPERATOR_LEASE = 'tidemark-operator'

export const leasesIn = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}

/** Holds the lease while the finalizers are removed. It never renews it. */
export const UNINSTALL = 'uninstall'

/** Annotation of the lease: the installation whose operator held it last. */
export const INSTALLATION = 'tidemark.dev/installation'
