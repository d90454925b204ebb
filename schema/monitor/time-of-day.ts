import Type from 'typebox'

/** A time of a day, to the minute. */
export const TimeOfDay = (description: string) =>
  Type.String({ maxLength: 5, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description })
