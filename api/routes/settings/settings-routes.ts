import type { Route } from '../../http/route.ts'
import { editSettingsRoute } from './edit-settings.ts'
import { getSettingsRoute } from './get-settings.ts'

/** The team's settings. */
export const settingsRoutes: readonly Route[] = [getSettingsRoute, editSettingsRoute]
