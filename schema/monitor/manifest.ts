import Type, { type Static } from 'typebox'
import { MONITOR_RESOURCE, RESOURCE_API, SERP_MONITOR_RESOURCE } from '../resource-kind.ts'
import { Choice, Closed, JsonObject, Text } from '../shape/shape.ts'

/** The Kubernetes resource that declares a monitor. The CRD describes `spec`: docs/custom-resources.md. */
export const MonitorManifest = Closed({
  apiVersion: Type.Literal(RESOURCE_API),
  kind: Choice([MONITOR_RESOURCE.kind, SERP_MONITOR_RESOURCE.kind]),
  metadata: Closed({
    name: Text(1, 63),
    namespace: Type.Optional(Text(1, 63)),
    labels: Type.Optional(JsonObject()),
    annotations: Type.Optional(JsonObject()),
  }),
  spec: JsonObject(),
})
export type MonitorManifest = Static<typeof MonitorManifest>
