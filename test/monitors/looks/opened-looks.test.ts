import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sealDocument } from '../../../monitors/looks/kept-document.ts'
import { OpenedLooks } from '../../../monitors/looks/opened-looks.ts'
import { FETCH_LIMITS } from '../../../runners/fetch/fetch-limits.ts'
import { DOCUMENTS } from '../../../schema/monitor/look.ts'
import { keepLook } from '../../../store/looks/looks.ts'
import { createSecretBox, type SecretBox } from '../../../store/secrets/secret-box.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)

/** Counts what it opens. */
function countingBox(): SecretBox & { opened: string[] } {
  const box = createSecretBox('a key')
  const opened: string[] = []
  return {
    opened,
    keyIds: box.keyIds,
    seal: box.seal,
    mark: box.mark,
    open(place, sealed) {
      opened.push(place.column)
      return box.open(place, sealed)
    },
  }
}

async function keep(secrets: SecretBox, { text = '<p>text', seconds = 900 } = {}) {
  const { teamId, store } = outbox
  const id = randomUUID()
  const document = { body: Buffer.from(text), contentType: 'text/html', url: 'https://shop.example/' }
  const [fetched = null, rendered = null] = await Promise.all(
    DOCUMENTS.map((name) => sealDocument(secrets, { teamId, id, name }, document)),
  )
  const shown = { elements: [{ path: [0, 1] }, { path: null }], documents: {}, browser_reason: null }
  const answer = secrets.seal({ teamId, column: 'looks.answer', rowId: id }, shown)
  await keepLook(store, { id, teamId, image: null, seconds, answer, fetched, rendered })
  return { teamId, id }
}

test('a look is opened once, also by requests at the same time, and its documents are the same', async () => {
  const secrets = countingBox()
  const place = await keep(secrets)
  const looks = new OpenedLooks()
  const ports = { store: outbox.store, secrets }
  const [one, other] = await Promise.all([looks.find(ports, place), looks.find(ports, place)])
  const again = await looks.find(ports, place)
  expect(secrets.opened.toSorted()).toEqual(['looks.answer', 'looks.fetched', 'looks.rendered'])
  expect([other, again]).toEqual([one, one])
  expect([...(one?.places ?? [])]).toEqual([['0,1', 0]])
  expect(Buffer.from(one?.documents.rendered.document?.body ?? []).toString()).toBe('<p>text')
})

test('a look that is open is not found any more when it ends or is deleted, and never by another team', async () => {
  const secrets = countingBox()
  const [ended, deleted] = [await keep(secrets), await keep(secrets)]
  const looks = new OpenedLooks()
  const ports = { store: outbox.store, secrets }
  for (const place of [ended, deleted]) {
    expect(await looks.find(ports, place)).not.toBe(null)
    expect(await looks.find(ports, { ...place, teamId: randomUUID() })).toBe(null)
  }
  await outbox.query('update looks set expires_at = clock() where id = $1', [ended.id])
  await outbox.query('delete from looks where id = $1', [deleted.id])
  expect([await looks.find(ports, ended), await looks.find(ports, deleted)]).toEqual([null, null])
  expect(looks.bytes).toBe(0)
})

test('no opened look stays in memory behind its time', async () => {
  const secrets = countingBox()
  const looks = new OpenedLooks()
  await looks.find({ store: outbox.store, secrets }, await keep(secrets, { seconds: 1 }))
  expect(looks.bytes).toBeGreaterThan(0)
  await eventually(
    async () => looks.bytes,
    (bytes) => bytes === 0,
  )
})

test('opened looks have a bound in bytes: the one that was used longest ago is opened again', async () => {
  const secrets = countingBox()
  const text = 'x'.repeat(100_000)
  const [first, second, large] = [
    await keep(secrets, { text }),
    await keep(secrets, { text }),
    await keep(secrets, { text: text.repeat(3) }),
  ]
  const looks = new OpenedLooks(500_000)
  const ports = { store: outbox.store, secrets }
  const opens = async (place: typeof first) => {
    const before = secrets.opened.length
    expect(await looks.find(ports, place)).not.toBe(null)
    return secrets.opened.length > before
  }
  expect([await opens(first), await opens(second), await opens(first), await opens(second)]).toEqual([
    ...[true, true, false, false],
  ])
  // It is larger than all that may be open.
  expect([await opens(large), await opens(large), await opens(second)]).toEqual([true, true, false])
  expect(looks.bytes).toBeLessThan(500_000)
  const third = await keep(secrets, { text })
  expect([await opens(third), await opens(second), await opens(first)]).toEqual([true, false, true])
})

test('a document of three times the bytes of a body opens: so many become of pages of another charset', async () => {
  const secrets = countingBox()
  const place = await keep(secrets, { text: '�'.repeat(FETCH_LIMITS.maxBodyBytes) })
  const found = await new OpenedLooks().find({ store: outbox.store, secrets }, place)
  expect(found?.documents.fetched.document?.body.byteLength).toBe(3 * FETCH_LIMITS.maxBodyBytes)
})
