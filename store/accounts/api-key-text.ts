import { checkedTextHash, isCheckedText, newCheckedText } from './checked-text.ts'

const PREFIX = 'svc_'

/** How many characters of a key are stored and shown. */
const SHOWN = 8

/** Returns the text of a new key. */
export const newApiKeyText = (): string => newCheckedText(PREFIX)

/** Returns whether the text has the form of a key. */
export const isApiKeyText = (text: string): boolean => isCheckedText(PREFIX, text)

/** The hash that is stored for a key. */
export const apiKeyHash = checkedTextHash

/** Returns the part of a key that is shown. */
export const apiKeyPrefix = (text: string): string => text.slice(0, SHOWN)
