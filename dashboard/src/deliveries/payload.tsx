import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import type { Delivery } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { JsonTree } from '../parts/json-tree.tsx'
import style from './delivery.module.css'

/** What was sent. A long one is asked for when it is opened: a list has only its beginning. */
export function Payload({ delivery: { id, payload, truncated } }: { readonly delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false)
  const isCut = truncated !== undefined
  const path = `/v1/deliveries/${encodeURIComponent(id)}`
  const { data, error } = useQuery({
    queryKey: ['delivery', path],
    enabled: isOpen && isCut,
    queryFn: ({ signal }) => ask<Pick<Delivery, 'payload'>>(path, { signal }),
  })
  const shown = isCut ? data?.payload : payload
  return (
    <details
      className={style['payload']}
      onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}
    >
      <summary>What was sent</summary>
      {error !== null && <Notice error={error} />}
      {isOpen && shown && <JsonTree value={shown} isOpen />}
    </details>
  )
}
