import type { Route } from '../../http/route.ts'
import { editSettingsRoute } from './edit-settings.ts'
import { getSettingsRoute } from './get-settings.ts'

/** DESIGN §4.6. */
export const settingsRoutes: readonly Route[] = [getSettingsRoute, editSettingsRoute]
