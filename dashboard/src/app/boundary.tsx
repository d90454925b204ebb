import { Component, type ReactNode } from 'react'
import controls from '../style/controls.module.css'

/** A bug of the page ends in a sentence and a way on, and never in an empty page. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError = () => ({ hasFailed: true })

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div className={controls['notice']} role="alert">
        <b>The page has an error.</b>
        <span>Nothing is lost: monitors are checked as before.</span>
        <a href="/">Load the list again</a>
      </div>
    )
  }
}
