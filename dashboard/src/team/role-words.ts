import type { Role } from './use-team.ts'

/** What a role may do, beside what the roles before it may. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'Sees monitors, changes, runs and deliveries.',
  member: 'Also makes, edits, runs and deletes monitors, sends deliveries again, and reads signing secrets.',
  admin: 'Also invites and removes people, makes API keys, changes settings, and reads the audit log.',
  owner: 'Also manages billing. The team ends with the account of the owner.',
}
