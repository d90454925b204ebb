/** Returns whether a text is an id as the service writes them, in any case. The store refuses any other as an error. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
