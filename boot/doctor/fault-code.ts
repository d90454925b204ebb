import { causes } from '../../store/db/store-fault.ts'

/** Returns the code of a failed connection, as in `ECONNREFUSED`, or the name of the error. Neither has an address. */
export function faultCode(error: unknown): string {
  const codes = causes(error).flatMap((one) => ('code' in one && typeof one.code === 'string' ? [one.code] : []))
  return codes[0] ?? (error instanceof Error ? error.name : 'unknown')
}
