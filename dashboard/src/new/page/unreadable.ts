import type { Look } from '../../api/types.ts'

type Reason = NonNullable<Look['elements'][number]['unreadable']>

/** Why rules do not read an element, in words. */
export const UNREADABLE: Readonly<Record<Reason, string>> = {
  frame: 'a frame, which shows another document',
  shadow_root: 'inside a shadow root, which rules do not reach',
  closed_shadow_root: 'a closed shadow root, which rules do not reach',
  canvas: 'a canvas, which is painted and has no text',
  not_in_html: 'not in the HTML',
  too_deep: 'nested too deeply',
}
