import { expect, test, vi } from 'vitest'
import { startManifestServer } from '../cli/remote/manifest-server.ts'
import { expectMessages, showFiles, WATCHED, watchedFile } from '../support/documents/watched-files.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 180_000 })

test('a price list, terms, a calendar and a shop are watched by tidemark apply, rows named in messages', async () => {
  await using remote = await startManifestServer()
  await using receiver = await openReceiver(reply(200, 'ok'))
  showFiles(remote.site, 'before')
  await remote.write('files.yaml', watchedFile(remote.site.origin, receiver.url, 'shop'))
  expect(await remote.sh('./tidemark apply -f files.yaml')).toMatchObject({ code: 0, stderr: '' })
  const run = `./tidemark run ${WATCHED.map((name) => `shop/${name}`).join(' ')} --wait`
  expect(await remote.sh(run)).toMatchObject({ code: 0 })
  expect(receiver.requests).toEqual([])
  showFiles(remote.site, 'after')
  expect(await remote.sh(run)).toMatchObject({ code: 0 })
  await expectMessages(receiver)
  expect(await remote.sh('./tidemark apply -f files.yaml')).toMatchObject({ stdout: 'Nothing differs: 4 unchanged.\n' })
})
