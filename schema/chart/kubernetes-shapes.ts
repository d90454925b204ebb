import Type, { type TProperties, type TSchema } from 'typebox'
import { Choice, Text, Whole } from '../shape/shape.ts'
import { FAMILY, ofFamily } from './value-families.ts'

/**
 * Shapes of Kubernetes that the chart's templates copy as they are. The API server refuses a wrong one long after Helm
 * has accepted it, or drops a key that is misspelt. The schema of the values refuses both. Facts: the API reference of
 * Kubernetes 1.34.
 */
const shape = (properties: TProperties, required: readonly string[] = []): TSchema =>
  Type.Unsafe({ type: 'object', properties, required: [...required], additionalProperties: false })

/** An object of Kubernetes that the chart does not judge. */
const opaque = Type.Unsafe({ type: 'object', additionalProperties: true })

const list = (items: TSchema) => Type.Array(items, { maxItems: 64 })

const quantities = Type.Unsafe({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'null'] },
  [FAMILY]: { '@': 'resource', '*': 'quantity' },
})

/** `ResourceRequirements`, without the claims of a pod, of which the chart makes none. */
export const RESOURCES = shape({ requests: quantities, limits: quantities })

export const TOLERATION = shape({
  key: ofFamily('label_key', Text(0, 317)),
  operator: ofFamily('toleration', Text(0, 16)),
  value: ofFamily('label_value', Text(0, 63)),
  effect: ofFamily('taint_effect', Text(0, 32)),
  tolerationSeconds: Type.Integer(),
})

export const AFFINITY = shape({ nodeAffinity: opaque, podAffinity: opaque, podAntiAffinity: opaque })

/** A volume: its name, and what it is made of, which the API server judges. Without that it is an empty folder. */
export const VOLUME = Type.Unsafe({
  type: 'object',
  properties: { name: ofFamily('label', Text(1, 63)) },
  required: ['name'],
  additionalProperties: { type: 'object' },
  maxProperties: 2,
})

export const MOUNT = shape(
  {
    name: ofFamily('label', Text(1, 63)),
    mountPath: ofFamily('folder', Text(1, 4096)),
    readOnly: Type.Boolean(),
    recursiveReadOnly: Choice(['Disabled', 'IfPossible', 'Enabled']),
    subPath: ofFamily('path_within', Text(0, 4096)),
    subPathExpr: ofFamily('path_within', Text(0, 4096)),
    mountPropagation: Choice(['None', 'HostToContainer', 'Bidirectional']),
  },
  ['name', 'mountPath'],
)

export const VARIABLE = shape(
  {
    name: ofFamily('variable', Text(1, 253)),
    value: Type.String(),
    valueFrom: opaque,
  },
  ['name'],
)

/** A Secret with which nodes fetch images. */
export const PULL_SECRET = shape({ name: ofFamily('object_name', Text(1, 253)) }, ['name'])

export const PARENT_REF = shape(
  {
    group: ofFamily('object_name', Text(0, 253)),
    kind: Type.String({ maxLength: 63, pattern: '^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$' }),
    namespace: ofFamily('namespace', Text(1, 63)),
    name: ofFamily('object_name', Text(1, 253)),
    sectionName: ofFamily('object_name', Text(1, 253)),
    port: Whole(1, 65_535),
  },
  ['name'],
)

export const SECCOMP_PROFILE = shape({
  type: ofFamily('seccomp_type', Text(1, 32)),
  localhostProfile: ofFamily('path_within', Text(1, 4096)),
})

/** `NetworkPolicyPeer`. */
export const PEER = {
  ...shape({
    podSelector: opaque,
    namespaceSelector: opaque,
    ipBlock: shape({ cidr: ofFamily('cidr', Text(1, 43)), except: list(ofFamily('cidr', Text(1, 43))) }, ['cidr']),
  }),
  minProperties: 1,
}

/** `NetworkPolicyEgressRule`. */
export const EGRESS_RULE = shape({
  to: list(PEER),
  ports: list(
    shape({
      protocol: Choice(['TCP', 'UDP', 'SCTP']),
      port: Type.Unsafe({
        type: ['integer', 'string'],
        minimum: 1,
        maximum: 65_535,
        pattern: '^([a-z0-9]+-)*[a-z0-9]*[a-z][a-z0-9]*(-[a-z0-9]+)*$',
        maxLength: 15,
      }),
      endPort: Whole(1, 65_535),
    }),
  ),
})
