const HOUR_MS = 3_600_000

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 16)

/** Returns quiet hours from some hours before now to some hours after it. */
export const quietNow = (hours = 2, now = Date.now()) => ({
  from: timeOf(now - hours * HOUR_MS),
  until: timeOf(now + hours * HOUR_MS),
  time_zone: 'UTC',
})
