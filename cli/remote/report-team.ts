import { printable } from '../../core/printable.ts'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { TeamListItem } from '../../schema/account/team.ts'
import { formOf } from '../output.ts'
import type { CommonOptions } from './connect.ts'
import { profileInUse, readProfiles, writeProfiles } from './profiles.ts'
import { RemoteClient } from './remote-client.ts'
import { RemoteError } from './remote-error.ts'

/**
 * Says once after a sign-in, on standard error, for which team the session acts, where the person is a member of
 * several. Commands for programs say nothing, and leave it to the next one that a person reads.
 */
export async function reportTeam(io: ProcessIo, options: CommonOptions): Promise<void> {
  const form = formOf(options)
  const name = form === 'table' || form === 'wide' ? profileInUse(io.env, options.profile) : null
  if (name === null) return
  const { current, profiles } = readProfiles(io.env)
  const known = profiles[name]
  if (known?.isNew !== true) return
  const { isNew: _, ...profile } = known
  try {
    const { data } = await new RemoteClient({ ...profile, from: `the profile ${name}` }).json<{
      readonly data: readonly TeamListItem[]
    }>({ method: 'GET', path: '/v1/team/list' })
    const active = data.find((team) => team.active)
    if (active && data.length > 1)
      tell(
        io,
        `You act for the team ${printable(active.name)} of ${printable(active.owner_email)}, as ${active.role}. ` +
          `You are in ${data.length} teams: "./tidemark teams" lists them, "./tidemark switch <team>" changes it.\n`,
      )
    writeProfiles(io.env, { current, profiles: { ...profiles, [name]: profile } })
  } catch (error) {
    // The command itself says what is wrong with the server. A file that cannot be written has the line said again.
    if (!(error instanceof RemoteError)) throw error
  }
}
