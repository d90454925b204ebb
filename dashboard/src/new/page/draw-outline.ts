import type { Look } from '../../api/types.ts'
import { UNREADABLE } from './unreadable.ts'

/** Draws the outline of an element over the picture, with its name; null: none. It does nothing that React knows of. */
export function drawOutline(outline: HTMLDivElement | null, look: Look, index: number | null): void {
  if (outline === null || outline.dataset['at'] === String(index)) return
  outline.dataset['at'] = String(index)
  const element = index === null ? undefined : look.elements[index]
  outline.hidden = element === undefined
  if (element === undefined) return
  const { box, tag, unreadable } = element
  outline.style.left = `${(box.x / look.width) * 100}%`
  outline.style.top = `${(box.y / look.height) * 100}%`
  outline.style.width = `${(box.width / look.width) * 100}%`
  outline.style.height = `${(box.height / look.height) * 100}%`
  outline.toggleAttribute('data-unreadable', unreadable !== null)
  outline.toggleAttribute('data-high', box.y < 24)
  const [name] = outline.children
  if (name) name.textContent = unreadable === null ? tag : `${tag}: ${UNREADABLE[unreadable]}`
}
