import type { Route } from '../../api/http/route.ts'
import { routesOf } from '../../api/routes.ts'
import { SERVED_KINDS } from '../../boot/kinds.ts'
import { ACCESS, type Caller, CALLERS } from '../../schema/account/access.ts'
import { paragraph, table } from './markdown.ts'

const routes = routesOf(SERVED_KINDS)

const LEAVING = 'members.leave'

const ABOUT = paragraph(
  'This page shows the answer to each role and each API key, for every request of the API. A test calls them all as ' +
    'each of these callers. [Teams and roles](reference/teams-and-roles.md#permissions) explains the permissions. ' +
    '`npm run gen` makes this page from `schema/account/access.ts` and the routes.',
)

const WITHOUT_CREDENTIALS = paragraph(
  '- No credentials, a key or a session that has expired, and one that was revoked or ended: 401 ' +
    '`UNAUTHORIZED` on every operation of the table.',
  '  ',
)

const OF_OTHERS = paragraph(
  "- Another team's credentials: every id of this team is 404 `NOT_FOUND`, in the path and in a body, and " +
    'nothing changes. The id of another team in a filter selects nothing. Operations without an id act for the ' +
    "caller's own team.",
  '  ',
)

/** Returns docs/access.md: the status that each caller gets from each operation. */
export const accessPage = (): string => `# Who may do what

${ABOUT}

## Callers without access

${WITHOUT_CREDENTIALS}
${OF_OTHERS}

## Operations

A refusal is 403 \`FORBIDDEN\`. Its message names the role or the scope, the permission, and whom to ask.

${table(['Operation', 'Permission', ...CALLERS], routes.flatMap(row))}

¹ For the own user id. The id of another member is 403.

## For everybody

These need no credentials.

${routes
  .filter(({ policy }) => policy === 'public')
  .map((route) => `- ${nameOf(route)}\n`)
  .join('')}`

const nameOf = ({ method, path }: Route) => `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``

function row(route: Route): string[][] {
  const { policy, answers } = route
  if (policy === 'public') return []
  const allowed: readonly Caller[] = ACCESS[policy]
  const [done = ''] = Object.keys(answers)
  const statusFor = (caller: Caller) => {
    if (!allowed.includes(caller)) return '403'
    return policy === LEAVING && (caller === 'viewer' || caller === 'member') ? `${done} ¹` : done
  }
  return [[nameOf(route), `\`${policy}\``, ...CALLERS.map(statusFor)]]
}
