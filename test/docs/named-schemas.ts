import type { TSchema } from 'typebox'
import type { Route } from '../../api/http/route.ts'
import { COMPONENTS } from '../../api/openapi/components.ts'
import { PlansFile } from '../../schema/account/plan.ts'
import { ClientCertificates } from '../../schema/config/client-certificates.ts'
import { Pagination as Paging } from '../../schema/monitor/request-config.ts'
import { MuteMatching, SeenMatching } from '../../schema/overview/overview.ts'
import { DeliveriesReplay } from '../../schema/run/delivery-replay.ts'
import { RunImages, VisualHistoryItem } from '../../schema/run/run-images.ts'
import { routes } from '../support/api/all-routes.ts'

/** What a marker may name, beside the nouns of the OpenAPI document. */
const SCHEMAS: Readonly<Record<string, TSchema>> = {
  ...COMPONENTS,
  ClientCertificates,
  Paging,
  PlansFile,
  RunImages,
  RunImagesRegion: (RunImages.properties.regions as unknown as { items: TSchema }).items,
  VisualHistoryItem,
  DeliveriesReplay,
  MuteMatching,
  SeenMatching,
}
export const schemaOf = (name: string): TSchema => {
  const schema = SCHEMAS[name]
  if (!schema) throw new Error(`no schema is called ${name}`)
  return schema
}

/** A route by its address as the pages write it: with `{id}`. */
export const written = ({ method, path }: Route) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
export const routeOf = (operation: string): Route => {
  const found = routes.find((route) => written(route) === operation)
  if (!found) throw new Error(`there is no operation ${operation}`)
  return found
}

export function answerOf(operation: string): TSchema {
  const { answers } = routeOf(operation)
  const schema = (answers[200] ?? answers[201])?.schema
  if (!schema) throw new Error(`${operation} answers without JSON`)
  return schema
}
