import { checkedTextHash, isCheckedText, newCheckedText } from './checked-text.ts'

const PREFIX = 'svc_'

/** How many characters of a key are stored and shown. */
const SHOWN = 8

/** A key's text. */
export const newApiKeyText = (): string => newCheckedText(PREFIX)

/** Whether this can be a key at all. */
export const isApiKeyText = (text: string): boolean => isCheckedText(PREFIX, text)

/** What is stored of a key. */
export const apiKeyHash = checkedTextHash

/** What is shown of a key. */
export const apiKeyPrefix = (text: string): string => text.slice(0, SHOWN)
