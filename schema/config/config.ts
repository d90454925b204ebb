import type { Static } from 'typebox'
import { Closed } from '../shape/shape.ts'
import { ACCOUNT_SETTINGS } from './account-settings.ts'
import { BROWSER_SETTINGS } from './browser-settings.ts'
import { CHECK_SETTINGS } from './check-settings.ts'
import { INSTALLATION_SETTINGS } from './installation-settings.ts'
import { NETWORK_SETTINGS } from './network-settings.ts'
import { OBSERVABILITY_SETTINGS } from './observability-settings.ts'
import { SERVER_SETTINGS } from './server-settings.ts'
import { SERVICE_SETTINGS } from './service-settings.ts'

/**
 * Every setting of every command: name, type, default and meaning. The start-up check, the settings page
 * (docs/settings.md) and the chart's values are generated from it. Only entry files read the environment. All values
 * in the environment are strings: numbers are digits, lists are comma-separated.
 */
export const Config = Closed({
  ...SERVER_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...NETWORK_SETTINGS,
  ...INSTALLATION_SETTINGS,
  ...CHECK_SETTINGS,
  ...BROWSER_SETTINGS,
  ...SERVICE_SETTINGS,
  ...OBSERVABILITY_SETTINGS,
})
export type Config = Static<typeof Config>
