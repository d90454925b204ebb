import { POLICIES } from '../../../api/auth/policies.ts'
import { MAX_API_KEY_NAME, MAX_API_KEYS, MAX_GRACE_HOURS } from '../../../schema/account/api-key.ts'
import { GIVEN_ROLES, ROLES } from '../../../schema/account/role.ts'
import {
  MAX_PUBLIC_NAME,
  MAX_SHOWN_MONITORS,
  MAX_SLUG,
  MAX_STATUS_PAGES,
  MAX_STATUS_TITLE,
} from '../../../schema/status/status-page.ts'

/** Returns the file with which roles may do what, so that a button says why before the API does. */
export function accessTable(): string {
  const policies = Object.entries(POLICIES).map(
    ([name, { role, permission }]) => `  '${name}': { role: '${role}', what: '${permission}' },\n`,
  )
  return [
    '// Generated from schema/ by `npm run gen`.\n',
    `/** Roles, each with the permissions of those before it. */\nexport const ROLES = ${list(ROLES)} as const\n`,
    `/** The roles that a person can be given. */\nexport const GIVEN_ROLES = ${list(GIVEN_ROLES)} as const\n`,
    `/** The lowest role of each permission, and what it allows. */\nexport const ACCESS = {
${policies.join('')}} as const\n`,
    `/** How many keys work, characters of a name, hours of overlap. */\nexport const KEY_LIMITS = {
  most: ${MAX_API_KEYS},
  name: ${MAX_API_KEY_NAME},
  graceHours: ${MAX_GRACE_HOURS},
} as const\n`,
    '/** How many status pages a team has, monitors of one, and characters of what is typed. */\n' +
      `export const STATUS_PAGE_LIMITS = {
  most: ${MAX_STATUS_PAGES},
  monitors: ${MAX_SHOWN_MONITORS},
  title: ${MAX_STATUS_TITLE},
  name: ${MAX_PUBLIC_NAME},
  slug: ${MAX_SLUG},
} as const\n`,
  ].join('\n')
}

const list = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`
