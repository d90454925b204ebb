import type { Issue } from '../../api/client.ts'
import type { MessageName } from '../../api/service.ts'
import type { Telling, TellingChange } from '../draft/notified.ts'
import { issuesAt } from '../draft/path-of.ts'
import { FaultLine } from '../form/fault-line.tsx'
import { Folded } from '../form/folded.tsx'
import style from '../new.module.css'
import { DigestField } from './digest-field.tsx'
import { MessageFields } from './message-fields.tsx'
import { QuietHoursField } from './quiet-hours-field.tsx'

interface TellingPartProps {
  /** Which destinations it is about, for a screen reader. */
  readonly of: string
  readonly title: string
  /** What holds without a digest. */
  readonly absent: string
  /** The names that messages can have. */
  readonly names: readonly MessageName[]
  readonly value: Telling
  readonly takes: { readonly message: boolean; readonly digest: boolean }
  readonly issues: readonly Issue[]
  /** Stands before the names of the settings in the paths of issues. */
  readonly path: string
  onChange(change: TellingChange): void
}

const KEYS = ['message', 'digest', 'quiet_hours'] as const satisfies (keyof Telling)[]

/** Returns what is wrong with these settings. `path` stands before their names. */
export const tellingIssues = (issues: readonly Issue[], path: string): readonly Issue[] =>
  KEYS.flatMap((key) => issuesAt(issues, path + key))

/** The words, the digest and the hours of notifications: of one destination, or of all. It is folded. */
export function TellingPart({ of, title, absent, names, value, takes, issues, path, onChange }: TellingPartProps) {
  const { message, digest, quiet_hours: hours } = value
  const isSet = Boolean(message ?? digest ?? hours)
  const hasFault = tellingIssues(issues, path).length > 0
  const fault = (key: keyof Telling) => <FaultLine id={`${path}${key}-fault`} issues={issues} path={path + key} />
  return (
    <Folded summary={title} isSet={isSet} hasFault={hasFault}>
      {takes.message && (
        <MessageFields
          of={of}
          message={message ?? undefined}
          names={names}
          onChange={(next) => onChange({ message: next })}
        >
          {fault('message')}
        </MessageFields>
      )}
      {takes.digest && (
        <>
          <DigestField
            of={of}
            absent={absent}
            digest={digest ?? undefined}
            onChange={(next) => onChange({ digest: next })}
          />
          {fault('digest')}
        </>
      )}
      {!takes.digest && (
        <p className={style['soft']}>
          Webhooks, CloudEvents and requests of your own get each change by itself, as it comes.
        </p>
      )}
      <QuietHoursField of={of} hours={hours ?? undefined} onChange={(next) => onChange({ quiet_hours: next })} />
      {fault('quiet_hours')}
    </Folded>
  )
}
