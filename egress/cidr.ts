import { isIP } from 'node:net'

/** A range of addresses: 4 or 16 bytes of network and the number of leading bits that count. */
export interface Cidr {
  readonly network: readonly number[]
  readonly bits: number
}

/**
 * Returns the 4 or 16 bytes of a literal address, or null when the text is not one. A zone (`fe80::1%eth0`) is refused.
 * `node:net` decides what an address is, so only well-formed text is parsed here. ipaddr.js is not used: version 2.5.0
 * reads `::8.8.8.8` as `::ffff:8.8.8.8`, and the egress guard depends on that difference.
 */
export function addressBytes(address: string): readonly number[] | null {
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0) return null
  return family === 4 ? address.split('.').map(Number) : bytesOfV6(address)
}

function bytesOfV6(address: string): readonly number[] {
  const [head = '', tail] = address.split('::')
  const before = bytesOfGroups(head)
  if (tail === undefined) return before
  const after = bytesOfGroups(tail)
  return [...before, ...Array<number>(16 - before.length - after.length).fill(0), ...after]
}

function bytesOfGroups(groups: string): number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/**
 * Reads `10.0.0.0/8` or `fd00::/8`. A bare address is a range of one address. Returns null when the text is neither.
 * Bits after the prefix are ignored.
 */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/')
  const network = addressBytes(slash === -1 ? text : text.slice(0, slash))
  if (network === null) return null
  const widest = network.length * 8
  if (slash === -1) return { network, bits: widest }
  const prefix = text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > widest) return null
  return { network, bits: Number(prefix) }
}

/** `parseCidr` for tables in the code. Throws TypeError on a bad range, because that is a bug. */
export function cidr(text: string): Cidr {
  const parsed = parseCidr(text)
  if (parsed === null) throw new TypeError(`not an address range: ${text}`)
  return parsed
}

/** Returns whether the range contains the address. An IPv4 range never contains an IPv6 address, and the reverse. */
export function holds(range: Cidr, bytes: readonly number[]): boolean {
  if (range.network.length !== bytes.length) return false
  const whole = range.bits >> 3
  for (let i = 0; i < whole; i++) if (range.network[i] !== bytes[i]) return false
  const rest = range.bits & 7
  if (rest === 0) return true
  const mask = (0xff << (8 - rest)) & 0xff
  return ((range.network[whole] ?? 0) & mask) === ((bytes[whole] ?? 0) & mask)
}
