import type { Route } from '../../http/route.ts'
import { createFromTemplateRoute } from './create-from-template.ts'
import { listTemplatesRoute } from './list-templates.ts'

/** Spec, Endpoints, Templates. */
export const templateRoutes: readonly Route[] = [listTemplatesRoute, createFromTemplateRoute]
