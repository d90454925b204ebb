import Type, { type Static } from 'typebox'
import { Closed, JsonObject, Text } from '../shape/shape.ts'

/** The Kubernetes resource that declares a monitor. The CRD describes `spec`: docs/custom-resources.md. */
export const MonitorManifest = Closed({
  apiVersion: Type.Literal('tidemark.dev/v1'),
  kind: Type.Literal('Monitor'),
  metadata: Closed({ name: Text(1, 63), annotations: Type.Optional(JsonObject()) }),
  spec: JsonObject(),
})
export type MonitorManifest = Static<typeof MonitorManifest>
