import { cut } from '../../../core/text/beginning.ts'
import { cleanText } from '../../../core/text/clean-text.ts'

const MOST = 60

/** Returns a part of a page as a reason or a label may quote it: on one line, at most 60 characters. */
export const shown = (text: string, most = MOST): string => cut(cleanText(text.slice(0, most * SLACK)), most)

/** White space is collapsed, so more is looked at than is shown. */
const SLACK = 8

/** Returns a number with its noun: "1 item", "2 items". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
