import type { KeyReplaced, ManyKeys } from '../../accounts/api-keys.ts'
import type { NotBilled } from '../../accounts/billing/billing.ts'
import type { Subscribed } from '../../accounts/delete-account.ts'
import type { AlreadyThere, InvitationEnded, InvitationInvalid, NoSeat, SentOften } from '../../accounts/invitations.ts'
import type { NotAllowed, TeamAct } from '../../accounts/team-act.ts'
import type { DiskFull } from '../../core/disk-guard.ts'
import type { Invalid, NotFound } from '../../core/outcome.ts'
import type { NotReplayable } from '../../deliveries/replay.ts'
import {
  overStorageText,
  type KeyTaken,
  type Left,
  type Locked,
  type Managed,
  type OutOfRuns,
  type OverCap,
  type OverStorage,
} from '../../monitors/outcome.ts'
import type { PreviewLimit, Stopping, Unanswered } from '../../monitors/preview/preview-monitor.ts'
import type { NoTexts, NotCompared } from '../../monitors/run-difference.ts'
import type { NoWebhook } from '../../monitors/signing-secret.ts'
import { MONITOR_RESOURCE, SERP_MONITOR_RESOURCE } from '../../schema/resource-kind.ts'
import { forbidden, POLICIES, type PolicyName } from '../auth/policies.ts'
import { ApiError, apiError } from './api-error.ts'
import { validationError } from './validation-error.ts'

/** What a use case returns when it refuses. */
type Refusal =
  | NotFound
  | Invalid
  | Left
  | Managed
  | Locked
  | OverCap
  | OverStorage
  | KeyTaken
  | OutOfRuns
  | NoWebhook
  | PreviewLimit
  | DiskFull
  | Stopping
  | Unanswered
  | KeyReplaced
  | ManyKeys
  | NotReplayable
  | NoTexts
  | NotCompared
  | NotAllowed
  | AlreadyThere
  | NoSeat
  | InvitationEnded
  | InvitationInvalid
  | SentOften
  | NotBilled
  | Subscribed

/** Returns what a use case did. Throws the error that answers its refusal. */
export function doneOf<D extends { readonly kind: 'done' }>(outcome: D | Refusal): D {
  if (outcome.kind !== 'done') throw outcomeError(outcome)
  return outcome
}

/** Returns the error that answers a refusal. */
export function outcomeError(refusal: Refusal): ApiError {
  switch (refusal.kind) {
    case 'not_found':
      return noSuch(refusal.what)
    case 'invalid':
      return validationError('body', refusal.issues)
    case 'left':
      return left()
    case 'managed':
      return managed(refusal)
    case 'key_taken':
      return keyTaken(refusal)
    case 'locked':
      return locked(refusal)
    case 'over_cap':
      return overCap(refusal)
    case 'over_storage':
      return overStorage(refusal)
    case 'used_up':
      return apiError('RUN_LIMIT_REACHED', usedUp(refusal), [refusal.quota])
    case 'no_webhook':
      return apiError('CONFLICT', 'The monitor has no webhook delivery, so it signs nothing: add one first.')
    case 'limit':
      return busy(refusal)
    case 'disk_full':
      return apiError(
        'INSUFFICIENT_STORAGE',
        `${refusal.reason}. Previews wait until there is room again; checks go on.`,
      )
    case 'unanswered':
      return unanswered(refusal)
    case 'stopping':
      return later('The service is stopping. Try again in a moment.')
    case 'replaced':
      return apiError('CONFLICT', KEY_REPLACED)
    case 'many_keys':
      return manyKeys(refusal)
    case 'not_replayable':
      return notReplayable(refusal)
    case 'no_texts':
      return apiError('NOT_FOUND', NO_TEXTS[refusal.why])
    case 'not_compared':
      return later('The texts could not be compared in time. Try again in a moment.')
    case 'not_allowed':
      return notAllowed(refusal)
    case 'already_there':
      return apiError('CONFLICT', ALREADY[refusal.as])
    case 'no_seat':
      return noSeat(refusal)
    case 'invitation_ended':
      return apiError('CONFLICT', ENDED[refusal.state])
    case 'invitation_invalid':
      return apiError('INVITATION_INVALID', INVALID[refusal.why])
    case 'sent_often':
      return sentOften(refusal)
    case 'subscribed':
      return apiError('CONFLICT', SUBSCRIBED)
    case 'not_billed':
      return refusal.why === 'away' ? later(PAYMENTS_AWAY) : apiError('CONFLICT', NOT_BILLED[refusal.why])
  }
}

/** The permission that an action belongs to, and how it is named in a refusal; by default as the permission is. */
const ACTS: Readonly<Record<TeamAct, { readonly permission: PolicyName; readonly what?: string }>> = {
  rename: { permission: 'team.rename' },
  invite: { permission: 'members.invite' },
  manage: { permission: 'members.manage' },
  keys: { permission: 'keys.manage' },
  settings: { permission: 'settings.manage' },
  change_owner: { permission: 'members.manage', what: "change the owner's role" },
  change_self: { permission: 'members.manage', what: 'change your own role' },
  remove_owner: { permission: 'members.manage', what: 'remove the owner' },
  leave_own: { permission: 'members.leave', what: 'leave the team that you own' },
}

function notAllowed({ role, act }: NotAllowed): ApiError {
  const { permission, what = POLICIES[permission].permission } = ACTS[act]
  if (role === null) return forbidden('You are not a member of this team any more', permission)
  return forbidden(`Your role ${role} does not allow you to ${what}`, permission)
}

const SUBSCRIBED = 'The team has a subscription that would be renewed. Cancel it first (POST /v1/billing/cancel).'

const ALREADY = {
  member: 'A member of the team has this address already.',
  invitation: 'An invitation of this address is open already: send it again, or revoke it first.',
} as const satisfies Record<AlreadyThere['as'], string>

const manyKeys = ({ limit }: ManyKeys): ApiError =>
  apiError('CONFLICT', `A team can have ${limit} API keys that work. Delete one that is not used any more.`)

const ENDED = {
  open: 'The invitation is open.',
  accepted: 'The invitation was accepted. Remove the member instead.',
  revoked: 'The invitation was revoked. Invite the address again.',
  expired: 'The invitation has expired. Invite the address again.',
} as const satisfies Record<InvitationEnded['state'], string>

const INVALID = {
  accepted: 'The invitation was accepted already.',
  revoked: 'The invitation was revoked. Ask whoever sent it for another one.',
  expired: 'The invitation has expired. Ask whoever sent it for another one.',
  address: 'The invitation was sent to another address. Sign in with the account of that address.',
  member: 'You are a member of this team already.',
} as const satisfies Record<InvitationInvalid['why'], string>

/** The field of the request that would take the seat. */
const SEAT_FIELDS = { invite: 'email', accept: 'token' } as const satisfies Record<NoSeat['act'], string>

function noSeat({ act, tier, seats, members, pending }: NoSeat): ApiError {
  const taken = `members: ${members}, open invitations: ${pending}`
  const message =
    `The team has no seat left. The plan ${tier} has ${seats} (${taken}). Remove a member, revoke an invitation, or ` +
    'ask the owner for a larger plan.'
  return apiError('TIER_LIMIT_EXCEEDED', message, [{ path: SEAT_FIELDS[act], limit: seats, tier }])
}

function sentOften({ of, most, per, waitSeconds }: SentOften): ApiError {
  const time = per === 'hour' ? 'an hour' : 'a day'
  const message = `${OFTEN[of](`${most}`, time)} Try again in ${waitSeconds} s.`
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { headers: { 'retry-after': String(waitSeconds) } })
}

const mails = (who: string) => (most: string, time: string) =>
  `${who} can send ${most} invitation mails ${time}; those of revoked invitations and those sent again count.`
const OFTEN = {
  address: (most, time) => `A team can invite the same address ${most} times ${time}.`,
  invitation: (most, time) => `An invitation can be sent again ${most} times ${time}.`,
  team: mails('This team, with its number of seats,'),
  free: mails('All teams on the plan free together'),
  installation: mails('All teams of this installation together'),
} as const satisfies Record<SentOften['of'], (most: string, time: string) => string>

const PAYMENTS_AWAY =
  'The payment provider did not answer as it should. Nothing was bought or changed; try again in a moment.'
const NOT_BILLED = {
  manual: 'This installation takes no payments. Its administrator gives plans and run credits.',
  subscribed: 'The team has a subscription already. Change its plan on the page of POST /v1/billing/portal.',
  no_subscription: 'The team has no subscription. Begin one with POST /v1/billing/checkout.',
  trial_over:
    'The trial is over and the team has no plan, so run credits would pay for nothing. Choose a plan first, with ' +
    'POST /v1/billing/checkout.',
  no_customer: 'Nothing was bought yet. Begin with POST /v1/billing/checkout or POST /v1/billing/credits.',
} as const satisfies Record<Exclude<NotBilled['why'], 'away'>, string>

const NO_TEXTS = {
  not_done: 'The run has not ended, so there is nothing to compare yet.',
  no_difference: 'The run found no difference: it failed, it was the first one, or its values equal those before.',
  no_text: 'The readable text of the page was not kept at this run or at the one before it, so only its hash differs.',
  not_text: 'The fields that changed are not texts before and after; the diff of the run has their values.',
  gone: 'The texts of this run are older than the retention window and are not kept any more.',
} as const satisfies Record<NoTexts['why'], string>

const NOUNS = {
  monitor: 'monitor',
  template: 'template',
  run: 'run',
  delivery: 'delivery',
  api_key: 'API key',
  team: 'team',
  member: 'member',
  invitation: 'invitation',
  account: 'account',
} as const satisfies Record<NotFound['what'], string>

/** Returns the 404 of a record that the team does not have. */
export const noSuch = (what: NotFound['what']): ApiError => apiError('NOT_FOUND', `There is no such ${NOUNS[what]}.`)

/** Returns the error of a request that its client has closed: it stands in traces and in the log. */
export const left = (): ApiError => apiError('BAD_REQUEST', 'The client closed the request before it was answered.')

/** Returns the 503 that asks for another try soon. */
export const later = (message: string): ApiError =>
  new ApiError('UNAVAILABLE', message, { headers: { 'retry-after': '2' } })

function managed({ by: manager, name, resource, resourceKind, file, act }: Managed) {
  const { kind } = resourceKind === 'serp' ? SERP_MONITOR_RESOURCE : MONITOR_RESOURCE
  const what = manager === 'file' ? 'manifest' : 'Kubernetes resource'
  const named = resource === null ? `a ${what}` : `the ${what} ${kind} ${resource}`
  const by =
    manager === 'file'
      ? `${named} in ${file === undefined ? '' : `the file ${file} of `}the folder of tidemark serve --config`
      : named
  const message =
    act === 'resume'
      ? `The monitor "${name}" is suspended by ${by}: set suspend to false there.`
      : `The monitor "${name}" is managed by ${by}: change or delete it there.`
  return apiError('CONFLICT', message)
}

function keyTaken({ externalKey, id, name }: KeyTaken): ApiError {
  const message = `The external_key "${externalKey}" belongs to the monitor "${name}" (${id}): change that one instead.`
  return apiError('CONFLICT', message, [{ path: 'external_key', id, name }])
}

const usedUp = ({ needs }: OutOfRuns): string =>
  needs === 1
    ? "The month's runs and the run credits are used up."
    : `This needs ${needs} runs, one for each page, and fewer are left of the month's runs and the run credits.`

const LOCKED_ACTS = { pause: 'paused', resume: 'resumed', run: 'run' } as const

function locked({ act }: Locked): ApiError {
  if (act === 'preview')
    return apiError('FORBIDDEN', 'The trial has ended, so nothing can be previewed. The owner can choose a plan.')
  return apiError(
    'FORBIDDEN',
    `A monitor that is locked by billing cannot be ${LOCKED_ACTS[act]}. The owner can choose a plan, which unlocks it.`,
  )
}

function overCap({ tier, cap, wanted }: OverCap): ApiError {
  const allowed = `${cap} ${cap === 1 ? 'delivery' : 'deliveries'}`
  const message = `The plan ${tier} allows ${allowed} a monitor; this one would have ${wanted}.`
  return apiError('TIER_LIMIT_EXCEEDED', message, [{ path: 'deliveries', limit: cap, tier }])
}

function overStorage(refusal: OverStorage): ApiError {
  const { tier, used, limit } = refusal
  return apiError('TIER_LIMIT_EXCEEDED', overStorageText(refusal), [{ used, limit, tier }])
}

function unanswered({ seconds, of, isBegun }: Unanswered): ApiError {
  const why = (isBegun ? BEGUN : NOT_BEGUN)[of ?? 'page'](seconds)
  const wait = isBegun && of === 'search' ? SEARCH_SECONDS : BUSY_SECONDS
  return new ApiError('UNAVAILABLE', why, { headers: { 'retry-after': wait } })
}

const notBegun = (what: string) => (seconds: number) =>
  `The ${what}, and no runner answered within ${seconds} s. Nothing was used of the plan. Try again ` +
  'in a moment: a runner may be starting. If it stays so, ask whoever runs this installation whether runners work.'
const NOT_BEGUN = {
  page: notBegun('page needs a browser'),
  search: notBegun('search needs a browser and a free exit'),
}

/** A search that is under way keeps its exit until it ends, so another one would wait for it. */
const BEGUN = {
  page: (seconds: number) =>
    `A runner began to render the page, and had not answered after ${seconds} s. Nothing was used of the plan. Try ` +
    'again in a moment: the runner may have begun late. If it stays so, create the monitor: a run has more time.',
  search: (seconds: number) =>
    `A runner makes the search, and had not answered after ${seconds} s. Nothing was used of the plan. The engine is ` +
    'asked nothing else from there until the search ends. Try again in a minute, with fewer pages if it had several, ' +
    'or create the monitor: a run has more time.',
}
const SEARCH_SECONDS = '60'

const BUSY_SECONDS = '5'
function busy({ of, limit }: PreviewLimit): ApiError {
  const whose = of === 'process' ? 'of all teams' : 'of a team'
  const where = of === 'installation' ? 'wait for a browser at once' : 'run at once in one process'
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `At most ${limit} previews ${whose} ${where}, and so many do. Try again in ${BUSY_SECONDS} s.`,
    { headers: { 'retry-after': BUSY_SECONDS } },
  )
}

const KEY_REPLACED =
  'This key has been replaced already and works until its grace ends. Rotate the key that replaced it.'

function notReplayable({ status }: NotReplayable): ApiError {
  const why = status === 'success' ? 'It was delivered' : 'It is still waiting to be sent'
  return apiError('CONFLICT', `${why}: only a failed or dead delivery can be sent again.`)
}
