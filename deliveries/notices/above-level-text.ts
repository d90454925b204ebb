import type { AboveLevel } from '../../store/maintenance/above-level.ts'

/** The `error_code` of the notice that work waits for a later version. */
export const ABOVE_LEVEL = 'above_level'

/** Returns how much waits, and what to upgrade. */
export function aboveLevelText({ checks, messages, level, workers, runners }: AboveLevel): string {
  const counts = [
    ...(checks > 0 ? [`${checks} ${checks === 1 ? 'check' : 'checks'}`] : []),
    ...(messages > 0 ? [`${messages} ${messages === 1 ? 'message' : 'messages'}`] : []),
  ]
  return [
    `For ten minutes nobody has taken ${counts.join(' and ')}: a later version wrote keys for which they need ` +
      `level ${level}, and no process that is there has it.`,
    `Upgrade ${whoToUpgrade({ workers, runners })} to the version of the API that wrote them. Other work goes on.`,
  ].join('\n')
}

/** Returns the processes that have too low a level. */
const whoToUpgrade = ({ workers, runners }: Pick<AboveLevel, 'workers' | 'runners'>): string =>
  [...(workers ? ['the workers'] : []), ...(runners ? ['the runners and the workers that render pages'] : [])].join(
    ', and ',
  )
