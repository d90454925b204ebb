import { access, constants, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { diskText } from '../../core/disk-guard.ts'
import { fullestFolder } from '../../platform/disk/folder-space.ts'
import { existingDatabase } from '../../platform/postgres/embedded-home.ts'
import { DISK_STOPS_AT, DISK_WARNS_AT, type DiskFigures, fillPercent } from '../../schema/disk.ts'
import type { DoctorFinding } from '../../schema/doctor.ts'
import type { Settings } from '../settings/read-config.ts'
import type { DoctorCheck, DoctorContext } from './doctor-check.ts'
import { failed, ok, warning } from './finding.ts'

export const diskCheck: DoctorCheck = {
  // The size of the database is asked of it.
  limitMs: 13_000,
  reads: ['TIDEMARK_DATA_DIR', 'TIDEMARK_DATABASE_MAX_BYTES'],
  async look(context) {
    const { settings } = context
    const folder = resolve(settings.TIDEMARK_DATA_DIR)
    const { found, fault } = await nearest(folder)
    if (fault !== null) return unusable(fault, settings)
    const places = await figuresOf(context, found === folder ? await foldersIn(folder) : [found])
    const fullest = places.toSorted((a, b) => fillPercent(b) - fillPercent(a))[0]
    const made = found === folder ? 'can be written' : 'does not exist yet, and can be made'
    const what = `The data folder ${made}. ${fullest ? `${diskText(fullest)}.` : 'The room on its disk is not known.'}`
    const percent = fullest ? fillPercent(fullest) : 0
    if (percent >= DISK_STOPS_AT) return failed(what, 'Make room: previews and pictures have stopped.')
    if (percent >= DISK_WARNS_AT)
      return warning(what, `Make room: at ${DISK_STOPS_AT} % previews and pictures stop. See docs/operations.md.`)
    return ok(what)
  },
}

/** Returns the folder, or the closest one above it that exists, and why nothing can be written there. */
async function nearest(folder: string): Promise<{ readonly found: string; readonly fault: string | null }> {
  for (let found = folder; ; found = dirname(found)) {
    try {
      if (!(await stat(found)).isDirectory()) return { found, fault: 'is a file, or below one' }
      await access(found, constants.R_OK | constants.W_OK | constants.X_OK)
      return { found, fault: null }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      if (code !== 'ENOENT' || dirname(found) === found) return { found, fault: `cannot be written (${code})` }
    }
  }
}

/** A process with DATABASE_URL and S3_BUCKET needs the folder for the embedded browser alone. */
function unusable(fault: string, { DATABASE_URL: url, S3_BUCKET: bucket }: Settings): DoctorFinding {
  const what = `The data folder ${fault} by this user.`.replace(/(one) by this user/, '$1')
  const advice = 'Set TIDEMARK_DATA_DIR to a folder that this user can write to.'
  return url !== undefined && bucket !== undefined ? warning(what, advice) : failed(what, advice)
}

/** Returns the folders of pictures and of the embedded database, which may be on other disks. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  const database = await existingDatabase(folder).catch(() => null)
  return [folder, join(folder, 'images'), ...(database === null ? [] : [database])]
}

async function figuresOf(context: DoctorContext, folders: readonly string[]): Promise<readonly DiskFigures[]> {
  const { TIDEMARK_DATABASE_MAX_BYTES: most } = context.settings
  const room = await fullestFolder(folders)
  const found = most === undefined ? null : await context.database()
  return [
    ...(room ? [{ place: 'data_folder' as const, ...room }] : []),
    ...(most !== undefined && found?.kind === 'looked'
      ? [{ place: 'database' as const, used: found.look.bytes, size: most }]
      : []),
  ]
}
