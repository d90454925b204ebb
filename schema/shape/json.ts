/** Any value that JSON can represent. Extracted values have this type; `undefined` is not included. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Values that a check extracted, by the names of `extract_config.fields`. A field that was not found is `null`. */
export type Values = Readonly<Record<string, Json>>
