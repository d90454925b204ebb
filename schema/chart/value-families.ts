import type { TSchema } from 'typebox'

/** Keyword of a value, or of the values in an object that Kubernetes defines: a family, or a family for each path. */
export const FAMILY = 'x-tidemark-family'

export interface ValueFamily {
  /** A regular expression in the syntax that Go and JavaScript share. */
  readonly pattern: string
  /** Completes `worker.resources.limits.memory is "lots", which is not `. */
  readonly words: string
  /** True where an empty value is refused too. Else the schema alone judges it: it may stand for none. */
  readonly neverEmpty?: true
  readonly accepts: readonly string[]
  readonly rejects: readonly string[]
}

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const GROUP = '[0-9A-Fa-f]{1,4}'
const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?'
/** Kubernetes bounds the whole of it, and none of its parts. */
const PART = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = String.raw`${PART}(\.${PART})*`
/** One that is not an address: a part of it has more than digits. */
const HOST = String.raw`([0-9]+\.)*([0-9]*[a-z]([-a-z0-9]*[a-z0-9])?|[0-9]+-([-a-z0-9]*[a-z0-9]))(\.${PART})*`
const NAME_PART = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?'
/** At most 65,535, without a sign and a leading zero. */
const PORT = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
const REGISTRY = String.raw`([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(:${PORT})?`
/** A step of a path that does not lead up. */
const STEP = String.raw`([^/.][^/]*|\.|\.[^/.][^/]*|\.\.[^/]+)`
const FOLDER = '[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*'

/** All forms of an address of IPv6: `::` stands for one group or more, once. */
const IPV6 = [
  `(${GROUP}:){7}${GROUP}`,
  `(${GROUP}:){1,7}:`,
  ...[6, 5, 4, 3, 2, 1].map((before) => `(${GROUP}:){1,${before}}(:${GROUP}){1,${7 - before}}`),
  `:((:${GROUP}){1,7}|:)`,
].join('|')

const IPV4 = String.raw`${OCTET}(\.${OCTET}){3}`
const [BITS_4, BITS_6] = ['(3[0-2]|[12]?[0-9])', '(12[0-8]|1[01][0-9]|[1-9]?[0-9])']

/**
 * Families of values that the cluster, or a process at its start, would refuse long after Helm has accepted them. The
 * chart refuses them in words: its templates read `files/value-families.yaml`, which is generated from this table.
 */
export const VALUE_FAMILIES = {
  network: {
    pattern: `^(${IPV4}(/${BITS_4})?|(${IPV6})(/${BITS_6})?)$`,
    words:
      'a network such as 10.0.0.0/8 or fd00::/8, or an address; the length of a network is at most 32 for IPv4 and ' +
      '128 for IPv6',
    accepts: [
      '10.0.0.0/8',
      '10.9.9.9',
      '0.0.0.0/0',
      '255.255.255.255/32',
      'fd00::/8',
      '::/0',
      '::1',
      '1:2:3:4:5:6:7:8',
    ],
    rejects: [
      '10.0.0.0/33',
      '10.0.0/8',
      '256.0.0.0/8',
      '010.0.0.0/8',
      'fd00::/129',
      '1::2::3',
      'fd00:/8',
      'example.com',
    ],
  },
  cidr: {
    pattern: `^(${IPV4}/${BITS_4}|(${IPV6})/${BITS_6})$`,
    words: 'a network with its length, such as 10.0.0.0/8 or fd00::/8, as network policies want it',
    accepts: ['10.0.0.0/8', '10.9.9.9/32', 'fd00::/8', '::1/128'],
    rejects: ['10.9.9.9', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/'],
  },
  http_address: {
    pattern: String.raw`^https?://([^/?#@: \[\]]+|\[[0-9A-Fa-f:.]+\])(:${PORT})?([/?#][^ ]*)?$`,
    words: 'an address with its scheme, such as https://tidemark.example.com',
    accepts: ['https://tidemark.example.com', 'http://10.0.0.1:9000/path', 'http://[fd00::1]:9000'],
    rejects: [
      'tidemark.example.com',
      '//example.com',
      'ftp://example.com',
      'https://',
      'https://a b',
      'https://:8080',
      'https://a.example:99999',
      'https://a.example:',
      'https://user@a.example',
    ],
  },
  quantity: {
    pattern: String.raw`^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$`,
    words: 'a quantity such as 500m, 0.5, 512Mi or 8Gi',
    neverEmpty: true,
    accepts: ['1', '0.5', '500m', '512Mi', '8Gi', '1e3', '1.073741824e+09'],
    rejects: ['lots', '512MB', '512mi', '1 Gi', '-1', '1,5'],
  },
  resource: {
    pattern: `^(cpu|memory|ephemeral-storage|hugepages-.+|${SUBDOMAIN}/${NAME_PART})$`,
    words: 'a resource of containers such as cpu, memory, ephemeral-storage or example.com/gpu',
    accepts: ['cpu', 'memory', 'ephemeral-storage', 'hugepages-2Mi', 'nvidia.com/gpu'],
    rejects: ['memroy', 'CPU', 'ram'],
  },
  object_name: {
    pattern: `^${SUBDOMAIN}$`,
    words: 'the name of an object: small letters, digits, "-" and ".", and a letter or a digit at both ends',
    accepts: ['tidemark-mail', 'a.b', '1', 'x'.repeat(253)],
    rejects: ['Tidemark-Mail', 'a_b', '-a', 'a.', 'a b'],
  },
  namespace: {
    pattern: `^${LABEL}$`,
    words: 'the name of a namespace: at most 63 small letters, digits and "-", and a letter or a digit at both ends',
    accepts: ['shop', '2024'],
    rejects: ['Shop', 'shop.example', 'shop_', 'x'.repeat(64)],
  },
  data_key: {
    pattern: String.raw`^\.?[-_A-Za-z0-9][-._A-Za-z0-9]*$`,
    words: 'a key of a Secret: letters, digits, "-", "_" and ".", and no ".." at its beginning',
    accepts: ['encryption-key', 'URL', 'tls.crt', '.dockerconfigjson', 'a..b'],
    rejects: ['my key', 'a/b', '.', '..', '..data'],
  },
  label_key: {
    pattern: `^(${SUBDOMAIN}/)?${NAME_PART}$`,
    words: 'the key of a label: letters, digits, "-", "_" and ".", with a prefix such as example.com/ or without',
    accepts: ['team', 'app.kubernetes.io/name', 'grafana_dashboard', `${'x'.repeat(70)}.example/team`],
    rejects: ['my team', '/team', 'a/b/c', '-team', 'Example.com/team'],
  },
  annotation_key: {
    pattern: `^(${SUBDOMAIN.replaceAll('a-z', 'A-Za-z')}/)?${NAME_PART}$`,
    words: 'the key of an annotation: letters, digits, "-", "_" and ".", with a prefix such as example.com/ or without',
    accepts: ['checked', 'eks.amazonaws.com/role-arn', 'Example.com/team'],
    rejects: ['not a key', 'a/b/c'],
  },
  host_name: {
    pattern: String.raw`^(\*\.)?${HOST}$`,
    words: 'a host name in small letters, such as tidemark.example.com: no address, without scheme, port and path',
    accepts: ['tidemark.example.com', '*.example.com', '10.0.0.1.example.com', '1-2.3', '1a', 'localhost'],
    rejects: ['https://tidemark.example.com', 'tidemark.example.com:443', 'Example.com', 'a.*.example.com', '10.0.0.1'],
  },
  mail_address: {
    pattern: '^[^@ ]+@[^@ ]+$',
    words: 'a mail address such as owner@example.com',
    accepts: ['owner@tidemark.local'],
    rejects: ['owner', '@example.com', 'a@b@c'],
  },
  team_id: {
    pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
    words: 'the id of a team, such as 01890a5d-ac96-774b-bcce-b302099a8057',
    accepts: ['01890a5d-ac96-774b-bcce-b302099a8057'],
    rejects: ['shop', '01890a5d'],
  },
  image_name: {
    pattern: `^(${REGISTRY}/)?${FOLDER}(/${FOLDER})*$`,
    words: 'the name of an image without a tag, such as registry.example.com/tidemark',
    accepts: ['tidemark', 'registry.example.com:5000/team/tidemark', 'ghcr.io/a/b_c'],
    rejects: ['Tidemark', 'tidemark:0.1.0', 'https://registry.example.com/tidemark', 'a//b'],
  },
  registry: {
    pattern: `^${REGISTRY}(/${FOLDER})*$`,
    words: 'a registry such as registry.example.com:5000/mirror, without a scheme and without "/" at its end',
    accepts: ['registry.example.com/mirror', 'localhost:5000'],
    rejects: ['https://registry.example.com', 'registry.example.com/', 'a b'],
  },
  image_tag: {
    pattern: '^[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}$',
    words: 'the tag of an image: letters, digits, "_", "." and "-"',
    accepts: ['0.1.0', 'v1', '18'],
    rejects: ['0.1.0+a', ':latest', '-a'],
  },
  duration: {
    pattern: '^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$',
    words: 'a duration such as 30s or 1m',
    accepts: ['30s', '1m30s'],
    rejects: ['30', 'often', '0.5m'],
  },
  label_value: {
    pattern: `^${NAME_PART}$`,
    words: 'the value of a label: at most 63 letters, digits, "-", "_" and ".", a letter or a digit at both ends',
    accepts: ['batch', 'v1.2'],
    rejects: ['-a', 'a b', 'a/b'],
  },
  toleration: {
    pattern: '^(Exists|Equal)$',
    words: 'Exists or Equal',
    accepts: ['Exists', 'Equal'],
    rejects: ['exists', 'In'],
  },
  taint_effect: {
    pattern: '^(NoSchedule|PreferNoSchedule|NoExecute)$',
    words: 'NoSchedule, PreferNoSchedule or NoExecute',
    accepts: ['NoSchedule', 'NoExecute'],
    rejects: ['noSchedule'],
  },
  seccomp_type: {
    pattern: '^(RuntimeDefault|Localhost|Unconfined)$',
    words: 'RuntimeDefault, Localhost or Unconfined',
    neverEmpty: true,
    accepts: ['RuntimeDefault', 'Localhost'],
    rejects: ['runtime/default'],
  },
  variable: {
    pattern: '^[ -<>-~]+$',
    words: 'the name of a variable: characters of ASCII without "="',
    neverEmpty: true,
    accepts: ['NODE_EXTRA_CA_CERTS', '3SCALE_URL', 'a:b'],
    rejects: ['A=B', 'é', 'A\tB'],
  },
  label: {
    pattern: `^${LABEL}$`,
    words: 'such a name: at most 63 small letters, digits and "-", and a letter or a digit at both ends',
    neverEmpty: true,
    accepts: ['company-ca'],
    rejects: ['Company', 'a.b'],
  },
  folder: {
    pattern: '^[^:]+$',
    words: 'a path in a container, such as /etc/company',
    neverEmpty: true,
    // Nodes read a relative one from the root.
    accepts: ['/etc/company', 'etc/company'],
    rejects: ['/a:b', 'C:/a'],
  },
  path_within: {
    pattern: `^${STEP}(/(${STEP})?)*$`,
    words: 'a path below a folder: without "/" at its beginning, and without ".."',
    accepts: ['profiles/runner.json', 'a', '.hidden', '..a/b', '.', './a', 'a/./b', 'a//b', 'a/', '...'],
    rejects: ['/etc/passwd', '../a', 'a/../b', '..', 'a/..'],
  },
} as const satisfies Readonly<Record<string, ValueFamily>>

export type ValueFamilyName = keyof typeof VALUE_FAMILIES

/** Returns the value's schema, of a family that the chart judges. */
export const ofFamily = <T extends TSchema>(family: ValueFamilyName, schema: T): T => ({ ...schema, [FAMILY]: family })
