import type { KeyReplaced, ManyKeys } from '../../accounts/api-keys.ts'
import type { NotBilled } from '../../accounts/billing/with-payments.ts'
import type { Subscribed } from '../../accounts/delete-account.ts'
import type { AlreadyThere, InvitationEnded, InvitationInvalid, NoSeat, SentOften } from '../../accounts/invitations.ts'
import type { ManyStatusPages, PageConflict, Published } from '../../accounts/status-pages.ts'
import type { NotAllowed } from '../../accounts/team-act.ts'
import type { DiskFull } from '../../core/disk-guard.ts'
import type { Invalid, NotFound, OtherCount } from '../../core/outcome.ts'
import type { NotHeld } from '../../deliveries/release-held.ts'
import type { NotReplayable } from '../../deliveries/replay.ts'
import type { ChangedSince } from '../../monitors/changed-since.ts'
import type { LaterKeys } from '../../monitors/later-keys.ts'
import type { NoLook } from '../../monitors/looks/find-look.ts'
import type { KeyTaken, Left, Locked, Managed, OutOfRuns, OverCap, OverStorage } from '../../monitors/outcome.ts'
import type { PreviewLimit, Stopping, Unanswered } from '../../monitors/preview/preview-monitor.ts'
import type { NoTexts, NotCompared } from '../../monitors/run-difference.ts'
import type { NoWebhook } from '../../monitors/signing-secret.ts'
import {
  invitationRefusal,
  KEY_REPLACED,
  manyKeys,
  NOT_BILLED,
  notAllowed,
  PAYMENTS_AWAY,
  SUBSCRIBED,
} from './account-refusals.ts'
import { apiError, type ApiError } from './api-error.ts'
import { later, left, noSuch } from './common-errors.ts'
import { deliveryRefusal } from './delivery-refusals.ts'
import {
  changedSince,
  keyTaken,
  laterKeys,
  locked,
  managed,
  NO_TEXTS,
  overCap,
  overStorage,
  usedUp,
} from './monitor-refusals.ts'
import { busy, diskFull, unanswered } from './preview-refusals.ts'
import { statusPageRefusal } from './status-page-refusals.ts'
import { validationError } from './validation-error.ts'

/** What a use case returns when it refuses. */
type Refusal =
  | NotFound
  | Invalid
  | Left
  | Managed
  | ChangedSince
  | LaterKeys
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
  | NotHeld
  | OtherCount
  | NoTexts
  | NoLook
  | NotCompared
  | NotAllowed
  | AlreadyThere
  | NoSeat
  | InvitationEnded
  | InvitationInvalid
  | SentOften
  | NotBilled
  | Subscribed
  | ManyStatusPages
  | PageConflict
  | Published

const CONFLICTS = {
  no_webhook: 'The monitor has no webhook delivery, so it signs nothing: add one first.',
  replaced: KEY_REPLACED,
  subscribed: SUBSCRIBED,
} as const

const NO_LOOK = 'There is no such look, or not any more: one is kept for 15 minutes. Look again.'

const LATER = {
  stopping: 'The service is stopping. Try again in a moment.',
  not_compared: 'The texts could not be compared in time. Try again in a moment.',
} as const

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
    case 'changed_since':
      return changedSince(refusal)
    case 'later_keys':
      return laterKeys(refusal)
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
    case 'limit':
      return busy(refusal)
    case 'disk_full':
      return diskFull(refusal)
    case 'unanswered':
      return unanswered(refusal)
    case 'many_keys':
      return manyKeys(refusal)
    case 'not_replayable':
    case 'not_held':
    case 'other_count':
      return deliveryRefusal(refusal)
    case 'no_texts':
    case 'no_look':
      return apiError('NOT_FOUND', refusal.kind === 'no_look' ? NO_LOOK : NO_TEXTS[refusal.why])
    case 'stopping':
    case 'not_compared':
      return later(LATER[refusal.kind])
    case 'not_allowed':
      return notAllowed(refusal)
    case 'already_there':
    case 'no_seat':
    case 'invitation_ended':
    case 'invitation_invalid':
    case 'sent_often':
      return invitationRefusal(refusal)
    case 'many_status_pages':
    case 'page_conflict':
    case 'published':
      return statusPageRefusal(refusal)
    case 'not_billed':
      return refusal.why === 'away' ? later(PAYMENTS_AWAY) : apiError('CONFLICT', NOT_BILLED[refusal.why])
    default:
      return apiError('CONFLICT', CONFLICTS[refusal.kind])
  }
}
