import { type ComponentType, lazy } from 'react'
import tones from '../../style/tones.module.css'

/**
 * Returns a plot that is loaded when it is drawn first.
 *
 * The library of the plot formats numbers in the browser's language when it is loaded. A browser without a language of
 * its own says `en-US@posix`, which is not a language tag.
 */
export const lazyPlot = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    if (!isTag(navigator.language)) Object.defineProperty(navigator, 'language', { value: 'en' })
    try {
      return { default: await load() }
    } catch {
      return { default: Undrawn }
    }
  })

function isTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0
  } catch {
    return false
  }
}

const Undrawn = () => <p className={tones['soft']}>This browser cannot draw the plot. The table has its numbers.</p>
