import { ApiFault } from '../api/client.ts'
import { explain } from '../api/faults.ts'
import controls from '../style/controls.module.css'

/** Returns the sign-in, from which a person comes back to the page that is shown. */
const signInPath = (): string => `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`

/** What is wrong, and what to do next. */
export function Notice({ error }: { readonly error: unknown }) {
  const { what, next } = explain(error)
  const hasEnded = error instanceof ApiFault && error.status === 401
  return (
    <div className={controls['notice']} role="alert">
      <b>{what}</b>
      <span>{next}</span>
      {hasEnded && <a href={signInPath()}>Sign in</a>}
    </div>
  )
}
