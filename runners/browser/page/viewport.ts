import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'

/** Of a page, in CSS pixels, which are also those of its pictures. */
export interface Viewport {
  readonly width: number
  readonly height: number
}

const DEFAULT: Viewport = { width: 1280, height: 720 }

/** The window that a page is shown in. */
export function viewportOf(visual: VisualConfig | null): Viewport {
  return { ...DEFAULT, ...visual?.viewport }
}
