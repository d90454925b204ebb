import { useIsAway } from '../api/away.ts'
import { ApiFault } from '../api/client.ts'
import { explain } from '../api/faults.ts'
import controls from '../style/controls.module.css'

/** Returns the sign-in, from which a person comes back to the page that is shown. */
const signInPath = (): string => `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`

/** What is wrong, and what to do next. */
export function Notice({ error }: { readonly error: unknown }) {
  const isAway = useIsAway()
  // That the server is away is said once, above every screen.
  if (isAway && isUnanswered(error)) return null
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

/** A request that only reads was not answered. */
const isUnanswered = (error: unknown): boolean => error instanceof ApiFault && error.status === 0 && !error.isOfAction

/** The server is away. Each screen goes on with what it has. */
export const Away = () => {
  const { what, next } = explain(UNANSWERED)
  return (
    useIsAway() && (
      <div className={controls['notice']} role="alert">
        <b>{what}</b>
        <span>{next}</span>
      </div>
    )
  )
}

const UNANSWERED = new ApiFault('The server does not answer.', 0)
