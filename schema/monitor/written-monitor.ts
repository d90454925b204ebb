import Type, { type Static } from 'typebox'
import { MONITOR_RESOURCE, SERP_MONITOR_RESOURCE } from '../resource-kind.ts'
import { Choice, Closed, JsonObject } from '../shape/shape.ts'

/** The forms in which a monitor can be written: a custom resource, a program of Pulumi, a request. */
const WRITTEN_FORMS = ['manifest', 'pulumi', 'curl'] as const
export type WrittenForm = (typeof WRITTEN_FORMS)[number]

/** Body of `POST /v1/manifests`. */
export const WriteMonitor = Closed({
  kind: Choice([MONITOR_RESOURCE.kind, SERP_MONITOR_RESOURCE.kind]),
  spec: JsonObject(
    'The body of a create: that of `POST /v1/monitors`, or of `POST /v1/serp-monitors`. Secrets may be masked, as in ' +
      'what a viewer reads.',
  ),
  as: Choice(WRITTEN_FORMS, {
    description:
      'manifest: YAML of a custom resource. pulumi: a TypeScript program for the REST API. curl: a command for a ' +
      'shell.',
  }),
})

/** A monitor in one of these forms. */
export const WrittenMonitor = Closed({
  as: Choice(WRITTEN_FORMS),
  text: Type.String(),
  secrets: Type.Array(
    Closed({
      key: Type.String({ description: 'How the text refers to it.' }),
      what: Type.String({ description: 'The value that it stands for: `the webhook address on hooks.example`.' }),
    }),
    { maxItems: 2_000, description: 'Values that may be secret, which the text does not have.' },
  ),
})
export type WrittenMonitor = Static<typeof WrittenMonitor>
