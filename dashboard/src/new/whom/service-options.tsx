import type { Service, ServiceOption } from '../../api/service.ts'
import type { DeliveryConfig } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { optionsOf, withOption } from '../draft/destinations.ts'
import { Folded } from '../form/folded.tsx'
import style from '../new.module.css'
import { KeptSecret } from './kept-secret.tsx'
import own from './whom.module.css'

type Hook = Extract<DeliveryConfig, { type: 'webhook' }>

interface ServiceOptionsProps {
  /** The name of the destination. */
  readonly name: string
  readonly delivery: Hook
  readonly service: Service
  onChange(delivery: Hook): void
}

/** How to get the address of a service, and what it needs to know besides. */
export function ServiceOptions({ name, delivery, service, onChange }: ServiceOptionsProps) {
  const { needed, others } = optionsOf(service)
  const values = delivery.options ?? {}
  const isSet = others.some(([key]) => Object.hasOwn(values, key))
  const field = ([key, option]: readonly [string, ServiceOption]) => (
    <OptionField
      // An option of the same name has another meaning elsewhere.
      key={`${service.label} ${key}`}
      label={`${name}: ${key}`}
      option={option}
      value={values[key] ?? ''}
      onChange={(value) => onChange(withOption(delivery, key, value))}
    />
  )
  return (
    <>
      <p className={style['soft']}>
        {service.address} <a href={`/docs/services#${anchorOf(service.label)}`}>More</a>
      </p>
      {needed.length > 0 && <div className={own['options']}>{needed.map(field)}</div>}
      {others.length > 0 && (
        <Folded summary={`More options of ${service.label}`} isSet={isSet}>
          {others.map(field)}
        </Folded>
      )}
    </>
  )
}

/** Returns the anchor of a heading of the manual. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')

interface OptionFieldProps {
  readonly label: string
  readonly option: ServiceOption
  readonly value: string
  onChange(value: string): void
}

/** An option, with what it means. Its name is that of the manual and of manifests. */
function OptionField({ label, option, value, onChange }: OptionFieldProps) {
  const { choices, isSecret, isNeeded, says, takes, example } = option
  const known = choices?.includes(value) === false && value !== '' ? [...choices, value] : choices
  return (
    <div className={own['option']}>
      <code>{label.split(': ').at(-1)}</code>
      {known ? (
        <select
          className={controls['select']}
          aria-label={label}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        >
          {!isNeeded && <option value="">as the service has it</option>}
          {known.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <KeptSecret
          label={label}
          kept={isSecret ? '••••••••' : null}
          isOptional={!isNeeded}
          value={value}
          maxLength={2048}
          placeholder={example}
          onChange={(next) => onChange(next.trim())}
        />
      )}
      <span className={style['soft']}>
        {says}
        {!known && ` Takes ${takes}.`}
      </span>
    </div>
  )
}
