import { DENIED_ADDRESSES, MALFORMED_URLS, PRIVATE_URLS } from '../../support/network/addresses.ts'

const urlOf = (address: string) => (address.includes(':') ? `http://[${address}]/` : `http://${address}/`)

/** Every URL that is refused for what it says: literal addresses, spellings of them, tricks with the URL itself. */
export const REFUSED_URLS: readonly string[] = [
  ...new Set([...DENIED_ADDRESSES.map(urlOf), ...PRIVATE_URLS, ...MALFORMED_URLS]),
]

type Answers = readonly (readonly string[])[]

/**
 * Names of §2.1, and what the name servers answer each time they are asked; the last answer stays. An empty one: no
 * such name.
 */
export const NAMES: Readonly<Record<string, Answers>> = {
  'cname-to-private.example': [['10.0.0.1']],
  'cname-to-loopback.example': [['127.0.0.1']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'public-and-private.example': [['93.184.216.34', '10.0.0.1']],
  'private-and-public.example': [['10.0.0.1', '93.184.216.34']],
  'a-public-aaaa-private.example': [['93.184.216.34', 'fd00:ec2::254']],
  '10-0-0-1.nip.example': [['10.0.0.1']],
  'many.example': [[...Array<string>(255).fill('93.184.216.34'), '192.168.0.1']],
  'nothing.example': [[]],
  'metadata.google.internal': [['169.254.169.254']],
  'kubernetes.default.svc': [['10.96.0.1']],
  'kubernetes.default.svc.cluster.local.': [['10.96.0.1']],
  'xn--lcalhost-i4a.example': [['127.0.0.1']],
  'azure.example': [['168.63.129.16']],
}

/**
 * Public when it is vetted for the first time and private ever after, with no time to live: what was vetted is what is
 * dialled.
 */
export const REBINDING = 'rebinding.example'
/** Its name servers never answer. */
export const HANGING = 'hanging.example'
