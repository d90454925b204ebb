import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTrust } from '../../boot/settings/read-trust.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const TEAM = '00000000-0000-4000-8000-000000000001'
const FIXTURES = new URL('../support/network/certificates/', import.meta.url)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  for (const name of ['authority.pem', 'good.pem', 'good.test-only.key', 'self-signed.test-only.key'])
    await copyFile(new URL(name, FIXTURES), join(folder.path, name))
})
afterAll(() => folder[Symbol.asyncDispose]())

const written = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder.path, name), text)
  return join(folder.path, name)
}
const ENTRY = { hosts: ['erp.test'], teams: [TEAM], cert: 'good.pem', key: 'good.test-only.key' }

test('authorities and client certificates are read; paths begin at the folder of the list', async () => {
  const trust = readTrust({
    TIDEMARK_EXTRA_CA_FILE: join(folder.path, 'authority.pem'),
    TIDEMARK_CLIENT_CERTIFICATES_FILE: await written('list.json', JSON.stringify([ENTRY])),
  })
  expect(trust.clientContext('ERP.test.', TEAM)).not.toBeNull()
  expect(trust.clientContext('www.erp.test', TEAM)).toBeNull()
  expect(readTrust({}).isPlain).toBe(true)
})

test.each(['ERP.Test', 'erp.test.', 'ERP.TEST.'])('a host written as %s is that host', async (host) => {
  const path = await written('names.json', JSON.stringify([{ ...ENTRY, hosts: [host] }]))
  const trust = readTrust({ TIDEMARK_CLIENT_CERTIFICATES_FILE: path })
  expect(trust.clientContext('erp.test', TEAM)).not.toBeNull()
})

test.each([
  ['bücher.test', 'xn--bcher-kva.test'],
  ['[2001:DB8::1]', '2001:db8::1'],
])('a host written as %s is %s', async (host, name) => {
  const path = await written('names.json', JSON.stringify([{ ...ENTRY, hosts: [host] }]))
  expect(readTrust({ TIDEMARK_CLIENT_CERTIFICATES_FILE: path }).clientContext(name, TEAM)).not.toBeNull()
})

test('the id of a team may be written in upper-case letters', async () => {
  const team = 'abcdef00-0000-4000-8000-000000000001'
  const path = await written('teams.json', JSON.stringify([{ ...ENTRY, teams: [team.toUpperCase()] }]))
  expect(readTrust({ TIDEMARK_CLIENT_CERTIFICATES_FILE: path }).clientContext('erp.test', team)).not.toBeNull()
})

test.each([
  ['', 'TIDEMARK_EXTRA_CA_FILE contains no PEM certificate'],
  [
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    'TIDEMARK_EXTRA_CA_FILE contains a certificate that cannot be read: number 1',
  ],
])('a bundle of %j is refused', async (text, message) => {
  const path = await written('bundle.pem', text)
  expect(() => readTrust({ TIDEMARK_EXTRA_CA_FILE: path })).toThrow(message)
})

test('a file that is not there is named', () => {
  expect(() => readTrust({ TIDEMARK_EXTRA_CA_FILE: '/nowhere/ca.pem' })).toThrow(
    'TIDEMARK_EXTRA_CA_FILE names /nowhere/ca.pem, which cannot be read (ENOENT)',
  )
})

test.each([
  ['{', 'is not JSON'],
  [JSON.stringify([{ ...ENTRY, hosts: [] }]), '[0].hosts'],
  [JSON.stringify([{ ...ENTRY, teams: ['a team'] }]), '[0].teams[0]'],
  [JSON.stringify([{ ...ENTRY, passphrase: 'x' }]), 'passphrase'],
  [JSON.stringify([{ ...ENTRY, hosts: ['erp.test:8443'] }]), 'not a host name without a port'],
  [JSON.stringify([{ ...ENTRY, hosts: ['erp.test/path'] }]), 'not a host name without a port'],
  [JSON.stringify([{ ...ENTRY, hosts: ['erp.test:443'] }]), 'not a host name without a port'],
  [JSON.stringify([{ ...ENTRY, hosts: ['a@erp.test'] }]), 'not a host name without a port'],
  [JSON.stringify([{ ...ENTRY, hosts: ['2001:db8::1'] }]), 'not a host name without a port'],
  [JSON.stringify([{ ...ENTRY, key: 'self-signed.test-only.key' }]), 'are not a PEM certificate and its key'],
  [JSON.stringify([{ ...ENTRY, cert: 'missing.pem' }]), 'which cannot be read (ENOENT)'],
  [JSON.stringify([ENTRY, ENTRY]), 'has two certificates for erp.test'],
  [JSON.stringify([ENTRY, { ...ENTRY, hosts: ['ERP.test.'] }]), 'has two certificates for erp.test'],
])('a list of %s is refused', async (text, message) => {
  const path = await written('wrong.json', text)
  expect(() => readTrust({ TIDEMARK_CLIENT_CERTIFICATES_FILE: path })).toThrow(message)
})
