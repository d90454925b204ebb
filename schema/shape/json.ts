/** Any value that JSON can carry. Extracted values are of this type; `undefined` never is. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/**
 * Named values that a check extracted, by the names of `extract_config.fields`. A field that was not found is `null`.
 */
export type Values = Readonly<Record<string, Json>>
