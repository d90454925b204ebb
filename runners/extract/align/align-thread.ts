import type { Page } from '../page.ts'
import type { Asked } from './align-reader.ts'
import { alignTree, type Place } from './align-tree.ts'

/** What a thread of the extractor runs for `alignReader`. The body is what a browser gave, as UTF-8. */
export const read = ({ body }: Page, { live, wanted }: Asked): readonly Place[] =>
  alignTree(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'), live, wanted)
