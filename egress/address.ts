import { isIP } from 'node:net'

/** The class of an address: on the public internet, or the reason why it is not a target. */
type AddressClass = 'public' | { readonly denied: string }

type Table = readonly (readonly [range: Cidr, reason: string, text: string])[]

function table(rows: readonly (readonly [string, string])[]): Table {
  return rows.map(([text, reason]) => [cidr(text), reason, text] as const)
}

/**
 * Never a target, whatever a setting opens. At these addresses clouds serve credentials to any process inside the
 * machine or network. Link-local IPv4 is listed as a whole, because clouds use more addresses of it than any list
 * names.
 */
const METADATA = table([
  ['169.254.0.0/16', 'link-local, where cloud metadata is served'],
  ['168.63.129.16', 'a cloud platform address'],
  ['100.100.100.200', 'a cloud metadata address'],
  ['192.0.0.192', 'a cloud metadata address'],
  ['fd00:ec2::/32', 'a cloud metadata address'],
  ['fd20:ce::254', 'a cloud metadata address'],
  ['fd00:c1::a9fe:a9fe', 'a cloud metadata address'],
  ['fd00:42::42', 'a cloud metadata address'],
  ['0.0.0.0/8', 'unspecified'],
  ['::', 'unspecified'],
  ['255.255.255.255', 'broadcast'],
  ['224.0.0.0/4', 'multicast'],
  ['ff00::/8', 'multicast'],
  ['fe80::/10', 'link-local'],
])

/** IPv4 that is not global unicast. No single prefix covers the public space, so this table lists what to exclude. */
const DENIED_V4 = table([
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['240.0.0.0/4', 'reserved'],
])

const GLOBAL_V6 = cidr('2000::/3')

/**
 * Excluded ranges inside 2000::/3, and named ranges outside it. 2001::/23 contains Teredo, ORCHID and benchmarking, and
 * nothing that serves pages.
 */
const DENIED_V6 = table([
  ['::1', 'loopback'],
  ['fc00::/7', 'private'],
  ['fec0::/10', 'private'],
  ['2001::/23', 'reserved for protocols'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4, which carries an IPv4 address'],
  ['3fff::/20', 'documentation'],
])

/**
 * The public networks, as ranges with exceptions: what a firewall that knows no names can hold of this policy. Some
 * exceptions contain others.
 */
export const PUBLIC_NETWORKS: readonly { readonly cidr: string; readonly except: readonly string[] }[] = [
  { cidr: '0.0.0.0/0', except: textsWithin(cidr('0.0.0.0/0'), [...DENIED_V4, ...METADATA]) },
  { cidr: '2000::/3', except: textsWithin(GLOBAL_V6, DENIED_V6) },
]

/** The networks that no setting opens. */
export const NEVER_NETWORKS: readonly string[] = METADATA.map(withBits)

function textsWithin(outer: Cidr, rows: Table): readonly string[] {
  const within = rows.filter(([{ network }]) => network.length === outer.network.length && holds(outer, network))
  return within.map(withBits)
}

function withBits([{ bits }, , text]: Table[number]): string {
  return text.includes('/') ? text : `${text}/${bits}`
}

const MAPPED = cidr('::ffff:0:0/96')

/** Prefixes that carry an IPv4 address, and the byte at which it begins. Teredo stores the client address inverted. */
const CARRIERS: readonly (readonly [range: Cidr, at: number, inverted?: true])[] = [
  [MAPPED, 12],
  [cidr('::ffff:0:0:0/96'), 12],
  [cidr('::/96'), 12],
  [cidr('64:ff9b::/96'), 12],
  [cidr('64:ff9b:1::/48'), 12],
  [cidr('2002::/16'), 2],
  [cidr('2001::/32'), 12, true],
]

/**
 * Returns the IPv4 address that an IPv6 address carries (mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP),
 * or null. `::` and `::1` have the form of compatible addresses, but carry nothing.
 */
export function embeddedIPv4(bytes: readonly number[]): readonly number[] | null {
  if (bytes.length !== 16 || bytes.slice(0, 15).every((byte) => byte === 0)) return null
  for (const [range, at, inverted] of CARRIERS) {
    if (!holds(range, bytes)) continue
    const inner = bytes.slice(at, at + 4)
    return inverted === true ? inner.map((byte) => byte ^ 0xff) : inner
  }
  return isIsatap(bytes) ? bytes.slice(12) : null
}

/** ISATAP is an interface id, so it can follow any prefix: `…:0:5efe:a.b.c.d` or `…:200:5efe:a.b.c.d`. */
function isIsatap(bytes: readonly number[]): boolean {
  return ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
}

/** Returns the IPv4 address of a mapped address (sockets report it so). Returns any other address unchanged. */
export function unmapped(bytes: readonly number[]): readonly number[] {
  return bytes.length === 16 && holds(MAPPED, bytes) ? bytes.slice(12) : bytes
}

function lookUp(rows: Table, bytes: readonly number[]): string | null {
  for (const [range, reason] of rows) if (holds(range, bytes)) return reason
  return null
}

/**
 * Returns why an address is never a target, even inside a range that a setting opened. Returns null when it may be one.
 * An IPv4 address that it carries is checked too.
 */
export function neverReason(bytes: readonly number[]): string | null {
  const inner = embeddedIPv4(bytes)
  return lookUp(METADATA, bytes) ?? (inner === null ? null : lookUp(METADATA, inner))
}

/**
 * Classifies by an allow list: `public` is global unicast and nothing else. IPv6 means 2000::/3 without the excluded
 * ranges. A mapped IPv4 address is classified as that IPv4 address. Every other form that carries an IPv4 address is
 * refused, even when the carried address is public: an unknown gateway decides where the traffic goes.
 */
export function classify(address: string): AddressClass {
  const bytes = addressBytes(address)
  return bytes === null ? { denied: 'not an address' } : classifyBytes(unmapped(bytes))
}

/** `classify` for an address that is already parsed and unmapped. */
export function classifyBytes(bytes: readonly number[]): AddressClass {
  const reason = neverReason(bytes) ?? (bytes.length === 4 ? lookUp(DENIED_V4, bytes) : refusedV6(bytes))
  return reason === null ? 'public' : { denied: reason }
}

function refusedV6(bytes: readonly number[]): string | null {
  const listed = lookUp(DENIED_V6, bytes)
  if (listed !== null) return listed
  if (embeddedIPv4(bytes) !== null) return 'an IPv6 address that carries an IPv4 address'
  return holds(GLOBAL_V6, bytes) ? null : 'not global unicast'
}

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
