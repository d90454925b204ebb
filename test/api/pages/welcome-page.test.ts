import { expect, test } from 'vitest'
import { welcomePage } from '../../../api/pages/welcome-page.ts'
import { servedRoutesOf } from '../../../api/routes.ts'
import { SERVED_KINDS } from '../../../boot/kinds.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('scale', {}, servedRoutesOf(SERVED_KINDS, [welcomePage])))

test('without a dashboard, the address that a start prints shows a page that leads to the documentation', async () => {
  const answer = await fetch(`${served.baseUrl}/`, { headers: { accept: 'text/html' } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)])
  const links = Array.from((await answer.text()).matchAll(/<a href="([^"]+)">/g), ([, link = '']) => link)
  expect(links).toEqual(['/docs/quickstart', '/docs', '/docs/api'])
  for (const link of links) expect((await fetch(served.baseUrl + link)).status, link).toBe(200)
})
