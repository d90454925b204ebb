import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'

/** The viewport of a page in CSS pixels, which are also the pixels of its pictures. */
export interface Viewport {
  readonly width: number
  readonly height: number
}

const DEFAULT: Viewport = { width: 1280, height: 720 }

/** Returns the viewport in which a page is shown. */
export function viewportOf(visual: VisualConfig | null): Viewport {
  return { ...DEFAULT, ...visual?.viewport }
}
