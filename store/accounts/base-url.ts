import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

const noted = row({ base_url: Type.Union([Type.String(), Type.Null()]) })

/** Notes the address under which people reach the API that has just started. */
export async function noteBaseUrl(store: Store, baseUrl: string): Promise<void> {
  await store.query(
    sql.type(nothing)`update installation set base_url = ${baseUrl} where base_url is distinct from ${baseUrl}`,
  )
}

/** Returns the address of the API that started last; null: none has started yet. */
export async function notedBaseUrl(store: Store): Promise<string | null> {
  const { base_url: baseUrl } = await store.one(sql.type(noted)`select base_url from installation`)
  return baseUrl
}
