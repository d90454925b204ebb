/**
 * Returns a name in camel case: `schedule_interval_seconds` becomes `scheduleIntervalSeconds`. A name without
 * underscores stays as it is.
 */
export const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
