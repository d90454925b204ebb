import Type, { type TSchema } from 'typebox'
import { Choice, Closed, Dictionary, Text, Whole } from '../shape/shape.ts'
import { AFFINITY, MOUNT, RESOURCES, TOLERATION, VOLUME } from './kubernetes-shapes.ts'
import { FAMILY, ofFamily, type ValueFamilyName } from './value-families.ts'

/** A value with its default, which `values.yaml` shows. */
export const value = <T extends TSchema>(schema: T, byDefault: unknown): T => ({ ...schema, default: byDefault })

/** A text that may be empty only where it is so by default. */
export const text = (byDefault: string, description: string, most = 2048) =>
  value(Text(byDefault === '' ? 0 : 1, most, description), byDefault)
/** The name of an existing object, such as a Secret. */
export const nameOf = (description: string) => ofFamily('object_name', text('', description, 253))
export const flag = (byDefault: boolean, description: string) => Type.Boolean({ default: byDefault, description })
export const number = (byDefault: number, [least, most]: readonly [number, number], description: string) =>
  Whole(least, most, { default: byDefault, description })

export const optionalFlag = (description: string) =>
  value(Type.Unsafe<boolean | string>({ type: ['boolean', 'string'], enum: [true, false, ''], description }), '')

export const listOf = (shape: TSchema, description: string) =>
  value(Type.Array(shape, { maxItems: 64, description }), [])

/** A list of objects of which the chart knows nothing. */
export const kubernetesList = (description: string) =>
  listOf(Type.Unsafe({ type: 'object', additionalProperties: true }), description)

/** The size of a volume. A number is one of bytes. */
export const size = (description: string) =>
  ofFamily(
    'quantity',
    value(
      Type.Unsafe<string | number>({ type: ['string', 'number'], minLength: 1, maxLength: 32, description }),
      '8Gi',
    ),
  )

export const texts = (family: ValueFamilyName, description: string) =>
  value(Type.Array(ofFamily(family, Text(1, 253)), { maxItems: 256, description }), [])

/** What Kubernetes takes as the name of an object; empty: none. */
export const objectName = (description: string, most: number) =>
  value(Type.String({ maxLength: most, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$', description }), '')

/** Networks, or single addresses. */
export const networks = (description: string) =>
  value(Type.Array(ofFamily('network', Text(1, 43)), { maxItems: 90, description }), [])

export const annotations = (description: string) =>
  value({ ...Dictionary(Text(0, 4096), { maxProperties: 64, description }), [FAMILY]: { '@': 'annotation_key' } }, {})
/** Of what Kubernetes selects by. */
export const labels = (description: string, byDefault: Readonly<Record<string, string>> = {}) =>
  value(
    {
      ...Dictionary(Type.String({ maxLength: 63, pattern: LABEL }), { maxProperties: 64, description }),
      [FAMILY]: { '@': 'label_key' },
    },
    byDefault,
  )
const LABEL = '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$'

export const image = (repository: string, description: string, tag = '') =>
  Closed(
    {
      repository: ofFamily('image_name', text(repository, 'Name of the image, with its registry.', 255)),
      tag: ofFamily(
        'image_tag',
        text(tag, tag === '' ? 'Unset: the version of the chart.' : 'Version of the image.', 128),
      ),
      digest: value(
        Type.String({
          maxLength: 71,
          pattern: '^(sha256:[0-9a-f]{64})?$',
          description: 'Such as sha256:…. It is stronger than the tag.',
        }),
        '',
      ),
      pullPolicy: value(
        Choice(['Always', 'IfNotPresent', 'Never'], { description: 'When nodes fetch it.' }),
        'IfNotPresent',
      ),
    },
    { description },
  )

export const imageRegistry = (description: string) => ofFamily('registry', text('', description, 255))

export const existing = (key: string, description: string) =>
  Closed(
    {
      name: nameOf('Name of the Secret, in the namespace of the release.'),
      key: ofFamily('data_key', text(key, 'Its key.', 253)),
    },
    { description },
  )

/** Of the metadata of pods. */
const podMetadata = {
  podAnnotations: annotations('Annotations of pods.'),
  podLabels: labels('Labels of pods.'),
}

const serviceAccountAnnotations = annotations('Annotations of the ServiceAccount of pods.')

/** Of what runs once, which goes where other pods go. */
export const ofSetup = { ...podMetadata, serviceAccountAnnotations }

const scheduling = {
  nodeSelector: labels('Labels that a node must have.'),
  tolerations: listOf(TOLERATION, 'Taints that pods tolerate.'),
  affinity: value({ ...AFFINITY, description: 'Affinity of pods.' }, {}),
  priorityClassName: nameOf('Priority class of pods.'),
  ...podMetadata,
  serviceAccountAnnotations,
}

export const files = (whose: string) => ({
  extraVolumes: listOf(VOLUME, `Volumes of ${whose}, for files that settings name.`),
  extraVolumeMounts: listOf(MOUNT, 'Where their containers see them, such as {name: …, mountPath: …, readOnly: true}.'),
})

/** What a container asks for, and what it may use. */
export const resources = (description: string, byDefault: object) => value({ ...RESOURCES, description }, byDefault)

/** `most`: the memory that a container may use. Default: what it asks for. */
export const requests = (cpu: string, memory: string, most = memory) => ({
  resources: resources('Requests and limits of the container. Without a limit of cpu a pod may use what is free.', {
    requests: { cpu, memory, 'ephemeral-storage': '256Mi' },
    limits: { memory: most, 'ephemeral-storage': '2Gi' },
  }),
  ...scheduling,
})

/** How the Prometheus Operator reads metrics. What is enabled is always made, so that a definition may come later. */
export const scraping = (enabled: string, description: string) =>
  Closed(
    {
      enabled: flag(false, `${enabled} It needs the Prometheus Operator.`),
      interval: ofFamily('duration', text('30s', 'How often metrics are read.', 16)),
      labels: labels('Its labels, which Prometheus selects.'),
      annotations: annotations('Its annotations.'),
      relabelings: kubernetesList('Changes of the labels of what is read.'),
      metricRelabelings: kubernetesList('Changes of the metrics before they are stored.'),
    },
    { description },
  )
