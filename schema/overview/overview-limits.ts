/** Longest text of a value in the list of monitors. The run has the complete value. */
export const MAX_SHOWN_VALUE = 80
/** Longest beginning of an address in the list of monitors. */
export const MAX_SHOWN_TARGET = 500
/** Largest number of points of a spark line. */
export const MAX_SPARK = 24
/** Longest text of a value in the list of changes. */
export const MAX_CHANGE_VALUE = 200
/** Largest number of fields that a change of the list has. */
export const MAX_CHANGE_FIELDS = 10
