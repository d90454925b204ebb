import type { Config } from '../../schema/config/config.ts'
import type { DoctorFinding } from '../../schema/doctor.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { DatabaseLook } from '../../store/db/look-at-database.ts'
import type { Environment, Settings } from '../settings/read-config.ts'
import type { BrowserFound } from './look-at-own-browser.ts'

/** What the checks know. Two checks that need the same look share it. */
export interface DoctorContext {
  readonly environment: Environment
  /** Settings that are not valid have their defaults. */
  readonly settings: Settings
  readonly issues: readonly Issue[]
  /** The settings that are set, by their names. */
  readonly set: readonly { readonly name: string; readonly from: 'environment' | 'file' }[]
  /** The version of Node that this version needs at least. */
  readonly neededNode: number
  database(): Promise<DatabaseFound>
  browser(): Promise<BrowserFound>
}

/** What was found of the database. */
export type DatabaseFound =
  | { readonly kind: 'looked'; readonly isEmbedded: boolean; readonly look: DatabaseLook }
  /** No server runs on the embedded database. `version`: of its programs. */
  | { readonly kind: 'at_rest'; readonly version: string; readonly exists: boolean }
  /** A runner has none. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly message: string }

/** One of the checks. They run side by side. */
export interface DoctorCheck {
  /** Milliseconds after which it counts as failed. */
  readonly limitMs: number
  /** Settings without which it can say nothing. Where one is not valid, it is not begun. */
  readonly reads: readonly (keyof Config)[]
  look(context: DoctorContext): DoctorFinding | Promise<DoctorFinding>
}
