import { RuledText } from './shape.ts'

/** An absolute http or https address, at most 2,048 characters. */
export const WebAddress = (description?: string) => RuledText(2048, ['web_address'], description)
