import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Returns the client's address: that of the connection, or the one that a trusted proxy reports. An IPv4 address is
 * returned as such, also when it came over an IPv6 socket.
 */
export function clientAddress(request: FastifyRequest): string | null {
  const address: string | undefined = request.ip
  return address === undefined ? null : address.replace(/^::ffff:(?=\d+\.)/i, '')
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
