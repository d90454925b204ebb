import { classify, holds, parseCidr, addressBytes } from '../../egress/address.ts'
import type { Manifest } from './helm.ts'

type Labels = Readonly<Record<string, string>>
interface Selector {
  matchLabels?: Labels
  matchExpressions?: { key: string; operator: 'In' | 'NotIn'; values: string[] }[]
}
interface Peer {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string; except?: string[] }
}
interface Rule {
  to?: Peer[]
  from?: Peer[]
  ports?: { port: number; protocol?: string }[]
}

/** A pod of the cluster, or an address outside it. */
export type End = { readonly labels: Labels; readonly namespace: string } | { readonly address: string }

/**
 * Returns whether network policies let a connection through: one of the release that selects the pod has a rule that
 * fits. A pod that no policy selects may do anything.
 */
export function allows(
  policies: readonly Manifest[],
  pod: { readonly labels: Labels; readonly namespace: string },
  direction: 'ingress' | 'egress',
  { end, port, protocol = 'TCP' }: { readonly end: End; readonly port: number; readonly protocol?: string },
): boolean {
  const mine = policies.filter(
    ({ metadata, spec }) => metadata.namespace === pod.namespace && selects(spec.podSelector, pod.labels),
  )
  if (mine.length === 0) return true
  const rules = mine.flatMap(({ spec }) => spec[direction] as Rule[])
  return rules.some((rule) => {
    const peers = direction === 'egress' ? rule.to : rule.from
    return (
      (rule.ports === undefined ||
        rule.ports.some((one) => one.port === port && (one.protocol ?? 'TCP') === protocol)) &&
      (peers === undefined || peers.some((peer) => fits(peer, end, pod.namespace)))
    )
  })
}

function fits({ podSelector, namespaceSelector, ipBlock }: Peer, end: End, ownNamespace: string): boolean {
  if ('address' in end) {
    const inBlock = (text: string) => {
      const [range, bytes] = [parseCidr(text), addressBytes(end.address)]
      return range !== null && bytes !== null && holds(range, bytes)
    }
    return ipBlock !== undefined && inBlock(ipBlock.cidr) && !(ipBlock.except ?? []).some(inBlock)
  }
  if (ipBlock) return false
  const inNamespace = namespaceSelector
    ? selects(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace })
    : end.namespace === ownNamespace
  return inNamespace && selects(podSelector, end.labels)
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector = {}, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    // A label that is not there is in no list.
    matchExpressions.every(({ key, operator, values }) => values.includes(labels[key] ?? '') === (operator === 'In'))
  )
}

/** Whether the egress guard of the processes takes an address for public. */
export const isPublic = (address: string): boolean => classify(address) === 'public'
