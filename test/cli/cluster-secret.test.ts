import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openTcpProxy } from '../support/network/tcp-proxy.ts'
import { runCli, startCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { eventually } from '../support/run/eventually.ts'

const SECRETS = '/api/v1/namespaces/default/secrets'
const EMAIL = 'me@example.com'

describeWithApiServer('tidemark cluster-secret', () => {
  let kube: KubeApi
  let database: TestDatabase
  let environment: Record<string, string>
  beforeAll(async () => {
    kube = await startKubeApi()
    database = await createEmptyDatabase()
    environment = {
      KUBECONFIG: kube.kubeconfig,
      DATABASE_URL: database.url,
      TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test',
    }
  })
  afterAll(async () => {
    await kube?.stop()
    await database?.drop()
  })

  const make = (...args: string[]) => runCli(['cluster-secret', ...args], environment)
  const contentOf = async (name: string) => {
    const { body } = await kube.call('GET', `${SECRETS}/${name}`)
    return Object.fromEntries(
      Object.entries(body.data as Record<string, string>).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString(),
      ]),
    )
  }
  const owner = (name: string, email = EMAIL) => make('owner', name, '--email', email)

  test('makes keys once, and never replaces them', async () => {
    const made = await make('keys', 'tidemark-keys')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('Made the Secret tidemark-keys') })
    const keys = await contentOf('tidemark-keys')
    expect(Buffer.from(keys['encryption-key'] ?? '', 'base64')).toHaveLength(32)
    expect(keys['postgres-password']).toMatch(/^[\w-]{32}$/)
    expect(made.stdout + made.stderr).not.toContain(keys['encryption-key'])
    expect(await make('keys', 'tidemark-keys')).toMatchObject({ code: 0, stdout: expect.stringContaining('stays') })
    const json = await make('keys', 'tidemark-keys', '--json')
    expect(JSON.parse(json.stdout)).toEqual({ secret: 'tidemark-keys', written: false })
    expect((await make('keys', 'tidemark-keys', '-o', 'name')).stdout).toBe('secret/tidemark-keys\n')
    expect(await contentOf('tidemark-keys')).toEqual(keys)
  })

  test('makes the first owner once, whose password and key work', async () => {
    const made = await owner('tidemark-owner')
    expect(made, made.stderr).toMatchObject({ code: 0 })
    const content = await contentOf('tidemark-owner')
    expect(content).toEqual({
      email: EMAIL,
      password: expect.any(String),
      'api-key': expect.stringMatching(/^\w+$/),
      'team-id': expect.stringMatching(/^[\da-f-]{36}$/),
    })
    expect(made.stdout).not.toContain(content['api-key'])
    expect(await owner('tidemark-owner')).toMatchObject({ code: 0, stdout: expect.stringContaining('stays') })
    expect(await contentOf('tidemark-owner')).toEqual(content)

    await using api = startCli(['api'], { ...environment, PORT: '0' })
    const [, base = ''] = await api.says(/API is running at (http:[^\s"]+)"/)
    const smoke = await runCli(['smoke-test'], { TIDEMARK_URL: base, TIDEMARK_API_KEY: content['api-key'] ?? '' })
    expect(smoke, smoke.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Tidemark works.') })
    const signedIn = await fetch(`${base}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base },
      body: JSON.stringify({ email: EMAIL, password: content['password'] }),
    })
    expect(signedIn.status).toBe(200)
    const refused = await runHere(['smoke-test'], { TIDEMARK_URL: base, TIDEMARK_API_KEY: 'no key' })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('was answered with 401') })
    expect(refused.stderr).not.toMatch(/^\s+at /m)
  })

  test('goes on where a run was killed between the account and the Secret', async () => {
    await kube.call('POST', SECRETS, {
      metadata: { name: 'killed-owner' },
      stringData: { email: 'killed@example.com', password: 'as it was made' },
    })
    expect(await owner('killed-owner', 'killed@example.com')).toMatchObject({ code: 0 })
    const content = await contentOf('killed-owner')
    expect(content).toMatchObject({ password: 'as it was made', 'api-key': expect.any(String) })
    // Killed after the account: the key alone is lost, and a new one is made.
    await kube.call('PATCH', `${SECRETS}/killed-owner`, { data: { 'api-key': null } }, 'application/merge-patch+json')
    expect(await owner('killed-owner', 'killed@example.com')).toMatchObject({ code: 0 })
    const again = await contentOf('killed-owner')
    expect(again).toMatchObject({ password: 'as it was made', 'team-id': content['team-id'] })
    expect(again['api-key']).not.toBe(content['api-key'])
  })

  test('claims no password for an account that was there before', async () => {
    const { code } = await runHere(['admin', 'create-owner', '--email', 'old@example.com'], environment)
    expect(code).toBe(0)
    expect(await owner('old-owner', 'old@example.com')).toMatchObject({ code: 0 })
    const content = await contentOf('old-owner')
    expect(content).toMatchObject({ email: 'old@example.com', 'api-key': expect.any(String) })
    expect(content).not.toHaveProperty('password')
  })

  test('says what is missing, without a stack', async () => {
    const away = await runCli(['cluster-secret', 'keys', 'x', '--kubeconfig', '/nowhere/config'], environment)
    expect(away.code).not.toBe(0)
    expect(away.stderr).not.toMatch(/^\s+at /m)
    const noUrl = await runHere(['smoke-test'])
    expect(noUrl).toMatchObject({ code: 1, stderr: expect.stringContaining('set TIDEMARK_URL') })
    const noName = await runCli(['cluster-secret', 'keys'])
    expect(noName).toMatchObject({ code: 2, stderr: expect.stringContaining('secret') })
  })
})

test('migrate waits for a database that does not answer yet, and leaves one of a newer version as it is', async () => {
  const database = await createEmptyDatabase()
  onTestFinished(() => database.drop())
  await using proxy = await openTcpProxy(database.url)
  const environment = { DATABASE_URL: proxy.url, TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test' }
  await proxy.stop()
  await using waiting = startCli(['migrate', '--wait', '60'], environment)
  await eventually(
    () => waiting.stderr,
    (said) => said.includes('Waiting for the database'),
  )
  await proxy.restart()
  expect(await waiting.exited, waiting.stderr).toBe(0)
  expect(waiting.stdout).toContain('Applied 000001-')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`insert into migrations (name, checksum) values ('999999-the-future.sql', '')`)
  await client.end()
  expect(await runCli(['migrate'], environment)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('A newer version has migrated the database. It stays as it is'),
  })
  const wrong = await runCli(['migrate', '--wait', 'long'], environment)
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a whole number of seconds') })
})
