/** Returns a value of a Secret. A line break at its end comes from `echo` and from files, and is never part of it. */
export const secretText = (text: string): string => text.replace(/\r?\n$/, '')

/** Returns a value of the `data` of a Secret. */
export const decodedSecret = (base64: string): string => secretText(Buffer.from(base64, 'base64').toString('utf8'))
