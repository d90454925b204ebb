import { expect } from 'vitest'
import type { StatusPage } from '../../../schema/status/status-page.ts'
import type { Client } from '../../support/api/served-api.ts'

/** Every request reads the store again. */
export const UNKEPT = { freshMs: 0, renewMs: 0, roundMs: 0 }

/** What somebody without an account gets. */
interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export async function asStranger(address: string, headers: Record<string, string> = {}): Promise<Shown> {
  const answer = await fetch(address, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Makes a status page and answers its record. */
export async function makeStatusPage(client: Client, body: object): Promise<StatusPage> {
  const { status, body: made } = await client.post('/v1/status-pages', {
    title: 'Shop',
    shows: { by: 'monitors', monitors: [] },
    ...body,
  })
  expect({ status, error: made.error }).toEqual({ status: 201, error: undefined })
  return made as unknown as StatusPage
}
