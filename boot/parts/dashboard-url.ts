import type { Settings } from '../settings/read-config.ts'

/**
 * Returns the address that links in messages begin with: the setting, else `baseUrl`, where the dashboard is served.
 * Null: there is no dashboard, or nobody knows its address.
 */
export function dashboardUrlOf(settings: Settings, baseUrl: string | null): string | null {
  const served = settings.TIDEMARK_DASHBOARD === 'on' ? baseUrl : null
  return (settings.TIDEMARK_DASHBOARD_URL ?? served)?.replace(/\/+$/, '') ?? null
}
