import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { JUDGES_ADVICE, JUDGES_PYTHON } from '../../../support/judges/python.ts'
import { startShell } from '../../../support/process/cli-process.ts'
import { describeIf } from '../../../support/run/skip.ts'
import { openReceiver, type Received, reply } from '../../../support/worker/receiver.ts'
import { OPTIONS, sendTo, sent } from '../sending.ts'

/** Returns the path of a program of this folder. */
const judge = (name: string): string => join(import.meta.dirname, name)

type Body = Readonly<Record<string, unknown>>
const jsonOf = ({ body }: Received): Body => JSON.parse(body.toString()) as Body

/** What a service of one's own is asked for. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly credential: string | undefined
  /** The keys of the body that hold the text, and what they hold. */
  readonly texts: Body
}

/** One of the services that people run themselves, as Apprise addresses it. */
interface Case {
  readonly service: 'mattermost' | 'rocket_chat' | 'gotify' | 'ntfy' | 'matrix'
  /** Where our request goes, below the server. */
  readonly below: string
  readonly appriseUrl: (host: string) => string
  readonly credential?: string
  readonly title?: string
  readonly text: string
  /** Of the text that Apprise is given. Absent: `text`. */
  readonly format?: 'markdown'
  /** What differs from one message to the next. */
  readonly varies?: RegExp
}

const WEBHOOK = 'a1b2c3d4e5f6g7h8i9j0k1l2m3'
const CASES: readonly Case[] = [
  {
    service: 'mattermost',
    below: `/hooks/${WEBHOOK}`,
    appriseUrl: (host) => `mmost://${host}/${WEBHOOK}`,
    text: 'text',
  },
  {
    service: 'rocket_chat',
    below: '/hooks/abc/def',
    appriseUrl: (host) => `rocket://abc/def@${host}/?mode=webhook&format=markdown`,
    ...{ text: 'text', format: 'markdown' },
  },
  {
    service: 'gotify',
    below: '',
    appriseUrl: (host) => `gotify://${host}/${OPTIONS.gotify.token}`,
    ...{ credential: 'x-gotify-key', title: 'title', text: 'message' },
  },
  {
    service: 'ntfy',
    below: '',
    appriseUrl: (host) => `ntfy://${OPTIONS.ntfy.token}@${host}/${OPTIONS.ntfy.topic}?auth=token`,
    ...{ credential: 'authorization', title: 'title', text: 'message' },
  },
  {
    service: 'matrix',
    below: '',
    appriseUrl: (host) => `matrix://${OPTIONS.matrix.access_token}@${host}/${OPTIONS.matrix.room_id}?v=3&format=text`,
    ...{ credential: 'authorization', text: 'body', varies: /[^/]+$/ },
  },
]

const asked = (request: Received, { credential, title, text, varies }: Case): Asked => ({
  method: request.method,
  // Apprise writes the `!` of a room as `%21`, which is the same path.
  path: decodeURIComponent(request.path.replace(varies ?? /$/, '')),
  credential: credential && request.headers.get(credential),
  texts: Object.fromEntries([...(title ? [title] : []), text].map((key) => [key, jsonOf(request)[key]])),
})

/** The answer of Matrix to a question for the own account, and to one for the room. */
const KNOWN = reply(
  200,
  JSON.stringify({ user_id: '@kettle:example.com', room_id: OPTIONS.matrix.room_id, event_id: '$1' }),
  {
    'content-type': 'application/json',
  },
)

describeIf(JUDGES_PYTHON !== null, JUDGES_ADVICE)('The library Apprise', () => {
  test.each(CASES)('asks $service as we do', async (one) => {
    await using receiver = await openReceiver(KNOWN)
    const host = new URL(receiver.url).host
    await sendTo(one.service, `http://${host}${one.below}`)
    const [ours] = receiver.requests
    if (!ours) throw new Error('nothing was sent')
    const { texts } = asked(ours, one)
    await notify({
      url: one.appriseUrl(host),
      title: texts[one.title ?? ''] ?? '',
      body: texts[one.text],
      format: one.format ?? 'text',
    })
    const theirs = receiver.requests.at(-1)
    if (!theirs || theirs === ours) throw new Error('Apprise sent nothing')
    expect(asked(theirs, one)).toEqual(asked(ours, one))
  })

  test('sends on what its API server was asked for', async () => {
    await using receiver = await openReceiver(reply(200, 'ok'))
    const urls = `json://${new URL(receiver.url).host}/kettle`
    await using gateway = startShell(`exec "${JUDGES_PYTHON}" "${judge('apprise-gateway.py')}"`)
    const [, port] = await gateway.says(/^(\d+)\n/)
    const outcome = await sendTo('apprise', `http://127.0.0.1:${port}/notify`, { options: { urls, type: 'warning' } })
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
    const [request] = receiver.requests
    const { request: bare } = await sent('apprise', { options: { urls, type: 'warning' } })
    const { title, body } = jsonOf(bare)
    expect(request && jsonOf(request)).toMatchObject({ title, message: body, type: 'warning' })
  })
})

function notify(message: Body): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(JUDGES_PYTHON ?? '', [judge('apprise-notify.py')], (error, _, stderr) =>
      error ? reject(new Error(stderr)) : resolve(),
    )
    child.stdin?.end(`${JSON.stringify(message)}\n`)
  })
}
