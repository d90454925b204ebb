import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createImageLinks } from '../../../api/auth/image-links.ts'
import { parseMailServer } from '../../../core/mail-server.ts'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import { createMessagePictures } from '../../../deliveries/channels/message-pictures.ts'
import { createMailer } from '../../../deliveries/mail/mailer.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { imageName } from '../../../store/images/images.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import { openOutbox, startLoop } from '../../support/database/outbox.ts'
import { LINKS, openMailbox, payloadOf } from '../../support/mail/mailbox.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { shared } from '../../support/run/shared.ts'
import { openReceiver } from '../../support/worker/receiver.ts'

const outbox = shared(openOutbox)
beforeEach(() => outbox.query('truncate deliveries, run_images'))

const KEY = 'a key of the tests, which is long enough'
const BASE = 'https://watch.example.com'
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const isDone = ({ status }: { status: string }) => status !== 'pending'

/** Stores a run with a picture; answers its id, and that of the picture. */
async function picturedRun(folder: string) {
  const { rows } = await outbox.query('select new_run_id(clock(), $1) as id', [outbox.monitorNo])
  const runId = String(rows[0].id)
  const thumbId = randomUUID()
  await outbox.query(
    `insert into run_images (monitor_no, run_id, team_id, change_pct, has_changes, thumb_id, regions)
     values ($1, $2, $3, 12, true, $4, '[]')`,
    [outbox.monitorNo, runId, outbox.teamId, thumbId],
  )
  const objects = createFolderStore(folder)
  await objects.put(imageName(outbox.teamId, thumbId), PNG)
  return { runId, thumbId }
}

const payloadFor = (runId: string) => ({
  ...payloadOf({ price: ['$19.99', '$17.49'] }),
  run_id: runId,
  visual: { change_pct: 12, threshold_pct: 5 },
})

interface LoopOptions {
  readonly folder: string
  readonly smtpPort?: number
  readonly isPublic?: boolean
}

function openLoop({ folder, smtpPort = 1, isPublic = true }: LoopOptions) {
  const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
  const parsed = parseMailServer(`smtp://127.0.0.1:${smtpPort}`)
  if (!parsed.ok) throw new Error('no mail server')
  const mailer = createMailer({ server: () => parsed.server, from: 'watch@tide.example', connections: 1 })
  const log: string[] = []
  const write = (_fields: object, message: string) => void log.push(message)
  const links = createImageLinks(KEY, BASE)
  const pictures = createMessagePictures({
    store: outbox.store,
    objects: createFolderStore(folder),
    sign: isPublic ? links.sign : null,
    log: { info: write, warn: write, error: write },
  })
  return {
    channels: createChannels({ agent, mailer, ...LINKS, pictures }),
    links,
    log,
    async [Symbol.asyncDispose]() {
      mailer.close()
      await agent.destroy()
    },
  }
}

describe('a message about a picture', () => {
  test('holds it, by mail', async () => {
    await using folder = await temporaryFolder()
    await using mailbox = await openMailbox()
    await using opened = openLoop({ folder: folder.path, smtpPort: mailbox.port })
    const { runId } = await picturedRun(folder.path)
    const id = await outbox.add({ type: 'email', to: 'ada@example.com' }, payloadFor(runId), runId)
    await using _ = startLoop(outbox, { channels: opened.channels })
    expect(await outbox.until(id, isDone)).toMatchObject({ status: 'success' })
    const mail = mailbox.letters[0]?.mail
    expect(mail?.html).toContain('<img src="cid:page@tidemark"')
    const [attachment] = mail?.attachments ?? []
    expect(attachment).toMatchObject({ mimeType: 'image/png', disposition: 'inline', contentId: '<page@tidemark>' })
    expect(Buffer.from(attachment?.content as ArrayBuffer)).toEqual(PNG)
  })

  test.each(['slack', 'discord'] as const)('shows it by a signed address in %s', async (type) => {
    await using folder = await temporaryFolder()
    await using chat = await openReceiver()
    await using opened = openLoop({ folder: folder.path })
    const { runId, thumbId } = await picturedRun(folder.path)
    const id = await outbox.add({ type, webhookUrl: chat.url }, payloadFor(runId), runId)
    await using _ = startLoop(outbox, { channels: opened.channels })
    await outbox.until(id, isDone)
    const body = JSON.parse(String(chat.requests[0]?.body))
    const url: string =
      type === 'discord'
        ? body.embeds[0].image.url
        : body.blocks.find((block: { type: string }) => block.type === 'image').image_url
    expect(url.startsWith(`${BASE}/v1/images/`)).toBe(true)
    const signed = opened.links.read(url.slice(`${BASE}/v1/images/`.length))
    expect(signed).toMatchObject({ teamId: outbox.teamId, imageId: thumbId })
    expect(Number(signed?.untilMs) - Date.now()).toBeLessThan(301_000)
  })

  test.each(['slack', 'discord'] as const)('has none in %s where others cannot reach the API', async (type) => {
    await using folder = await temporaryFolder()
    await using chat = await openReceiver()
    await using opened = openLoop({ folder: folder.path, isPublic: false })
    const { runId } = await picturedRun(folder.path)
    const id = await outbox.add({ type, webhookUrl: chat.url }, payloadFor(runId), runId)
    await using _ = startLoop(outbox, { channels: opened.channels })
    expect(await outbox.until(id, isDone)).toMatchObject({ status: 'success' })
    expect(String(chat.requests[0]?.body)).not.toMatch(/image/)
  })

  test('is sent without it where it cannot be had', async () => {
    await using folder = await temporaryFolder()
    await using mailbox = await openMailbox()
    await using opened = openLoop({ folder: folder.path, smtpPort: mailbox.port })
    const id = await outbox.add({ type: 'email', to: 'ada@example.com' }, payloadFor(randomUUID()))
    await using _ = startLoop(outbox, { channels: opened.channels })
    expect(await outbox.until(id, isDone)).toMatchObject({ status: 'success' })
    expect(mailbox.letters[0]?.mail.attachments).toEqual([])
    expect(mailbox.letters[0]?.mail.html).not.toContain('<img')
  })
})
