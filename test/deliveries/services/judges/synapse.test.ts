import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { JUDGES_ADVICE, JUDGES_PYTHON } from '../../../support/judges/python.ts'
import { freePort } from '../../../support/network/free-port.ts'
import { startShell } from '../../../support/process/cli-process.ts'
import { temporaryFolder } from '../../../support/process/temporary-folder.ts'
import { eventually } from '../../../support/run/eventually.ts'
import { describeIf } from '../../../support/run/skip.ts'
import { sendTo } from '../sending.ts'

type Json = Readonly<Record<string, unknown>>

/** A Matrix homeserver with one account, which is in one room. */
interface Homeserver extends AsyncDisposable {
  readonly url: string
  readonly options: { readonly room_id: string; readonly access_token: string }
  /** The messages of the room, oldest first. */
  messages(): Promise<readonly Json[]>
}

describeIf(JUDGES_PYTHON !== null, JUDGES_ADVICE)('A Matrix homeserver', () => {
  test('takes a message, and a repetition of it is the same event', { timeout: 180_000 }, async () => {
    await using homeserver = await startHomeserver()
    const { url, options } = homeserver
    for (const _ of [1, 2])
      expect(await sendTo('matrix', url, { options })).toMatchObject({ kind: 'answered', status: 200 })
    const messages = await homeserver.messages()
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatchObject({ msgtype: 'm.text', format: 'org.matrix.custom.html' })
    expect(messages[0]?.['body']).toContain('price: $19.99 → $17.49')

    const wrong = { ...options, access_token: 'syt_another' }
    expect(await sendTo('matrix', url, { options: wrong })).toMatchObject({ kind: 'answered', status: 401 })
    const elsewhere = { ...options, room_id: '!another:localhost' }
    expect(await sendTo('matrix', url, { options: elsewhere })).toMatchObject({ kind: 'answered', status: 403 })
  })
})

async function startHomeserver(): Promise<Homeserver> {
  await using opening = new AsyncDisposableStack()
  const folder = opening.use(await temporaryFolder())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = join(folder.path, 'homeserver.json')
  await writeFile(config, JSON.stringify(configOf(folder.path, port)))
  const line = `exec "${JUDGES_PYTHON}" -m synapse.app.homeserver -c "${config}"`
  const server = opening.use(startShell(line, {}, folder.path))
  let hasEnded = false
  void server.exited.then(() => (hasEnded = true))
  const isUp = () =>
    fetch(`${url}/health`).then(
      async (answer) => (await answer.text()) === 'OK',
      () => hasEnded,
    )
  await eventually(isUp, Boolean, { forMs: 120_000 })
  if (hasEnded) throw new Error(`the homeserver has ended: ${server.stderr.slice(-2_000)}`)

  let token: string | null = null
  const ask = async (method: string, path: string, body?: Json): Promise<Json> => {
    const answer = await fetch(`${url}/_matrix/client/v3${path}`, {
      method,
      ...(token !== null && { headers: { authorization: `Bearer ${token}` } }),
      ...(body && { body: JSON.stringify(body) }),
    })
    const found = (await answer.json()) as Json
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(found)}`)
    return found
  }
  const account = { username: 'tidemark', password: 'correct horse', auth: { type: 'm.login.dummy' } }
  token = String((await ask('POST', '/register', account))['access_token'])
  const room_id = String((await ask('POST', '/createRoom', { preset: 'private_chat' }))['room_id'])
  const opened = opening.move()
  return {
    url,
    options: { room_id, access_token: token },
    async messages() {
      const { chunk } = await ask('GET', `/rooms/${encodeURIComponent(room_id)}/messages?dir=f&limit=100`)
      const events = chunk as readonly { readonly type: string; readonly content: Json }[]
      return events.filter(({ type }) => type === 'm.room.message').map(({ content }) => content)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** JSON is YAML. It contacts nobody: federation and the servers of keys are off. */
const configOf = (folder: string, port: number): Json => ({
  server_name: 'localhost',
  listeners: [{ port, type: 'http', bind_addresses: ['127.0.0.1'], resources: [{ names: ['client', 'health'] }] }],
  database: { name: 'sqlite3', args: { database: join(folder, 'homeserver.db') } },
  media_store_path: join(folder, 'media'),
  signing_key_path: join(folder, 'signing.key'),
  macaroon_secret_key: 'a secret of the test',
  form_secret: 'another secret of the test',
  enable_registration: true,
  enable_registration_without_verification: true,
  report_stats: false,
  trusted_key_servers: [],
  federation_domain_whitelist: [],
})
