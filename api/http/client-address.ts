import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { addressBytes, holds, parseCidr } from '../../egress/address.ts'

/**
 * Returns the client's address: that of the connection, or the one that a trusted proxy reports. An IPv4 address is
 * returned as such, also when it came over an IPv6 socket.
 */
export function clientAddress(request: FastifyRequest): string | null {
  const address: string | undefined = request.ip
  return address === undefined ? null : plain(address)
}

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/**
 * Returns what the connections of an address are counted by: its block; null for a trusted proxy, whose connections are
 * those of many clients.
 */
export function connectionKey(trustedProxies: readonly string[]): (address: string) => string | null {
  const ranges = trustedProxies.flatMap((text) => parseCidr(text) ?? [])
  return (given) => {
    const address = plain(given)
    const bytes = addressBytes(address)
    return bytes && ranges.some((range) => holds(range, bytes)) ? null : addressBlock(address)
  }
}

/**
 * Returns the addresses that one customer of a provider can use: an IPv4 address, or the /64 of an IPv6 one. Limits
 * count by it.
 */
export function addressBlock(address: string | null): string {
  if (address === null) return 'unknown'
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.replace(/%.*$/s, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const full =
    tail === undefined
      ? groups
      : [...groups, ...Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0'), ...rest]
  return full
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
