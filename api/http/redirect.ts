import type { Answer } from './route.ts'

/** Returns an answer that sends the browser to another address, with cookies to keep. */
export const redirect = (location: string, cookies: readonly string[] = []): Answer => ({
  status: 302,
  text: { type: 'text/plain', content: '' },
  headers: { location, 'cache-control': 'no-store', ...(cookies.length > 0 && { 'set-cookie': [...cookies] }) },
})
