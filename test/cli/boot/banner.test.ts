import { join } from 'node:path'
import { expect, test } from 'vitest'
import { banner } from '../../../cli/boot/process/banner.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const told = (dataDir: string, databaseFolder: string | null) =>
  banner({ address: 'http://127.0.0.1:1', owner: null, dataDir, databaseFolder })

test('a start says where the database lies, also where that is not the data directory', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path
  expect(told(path, join(path, 'postgres'))).toContain(`Data              ${path} (embedded Postgres)\n`)
  expect(told(path, '/var/lib/tidemark/1a2b/postgres')).toContain(
    `Data              ${path} (keys and pictures)\n  Database          /var/lib/tidemark/1a2b/postgres (embedded ` +
      `Postgres)\n`,
  )
  expect(told(path, null)).not.toContain(path)
})
