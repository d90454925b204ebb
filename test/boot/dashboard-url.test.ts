import { expect, test } from 'vitest'
import { dashboardUrlOf } from '../../boot/parts/dashboard-url.ts'
import { readSettings } from '../../boot/settings/read-config.ts'

const BASE = 'https://watch.example.com'

test.each([
  ['the base address, where the dashboard is', {}, BASE, BASE],
  [
    'an address of its own',
    { TIDEMARK_DASHBOARD_URL: 'https://dash.example.com/app/' },
    BASE,
    'https://dash.example.com/app',
  ],
  ['nothing without a dashboard', { TIDEMARK_DASHBOARD: 'off' }, BASE, null],
  [
    'another dashboard than the one that is off',
    { TIDEMARK_DASHBOARD: 'off', TIDEMARK_DASHBOARD_URL: BASE },
    'http://a',
    BASE,
  ],
  ['nothing where nobody knows the address', {}, null, null],
])('links in messages lead to %s', (_where, environment, baseUrl, expected) => {
  expect(dashboardUrlOf(readSettings(environment), baseUrl)).toBe(expected)
})
