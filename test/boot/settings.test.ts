import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings, SettingsError } from '../../boot/settings/read-config.ts'
import { SECRET_SETTINGS } from '../../schema/config/secret-settings.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { runCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const faults = (environment: Record<string, string>): string[] => {
  try {
    readSettings(environment)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.issues.map(({ path }) => path)
    throw error
  }
}

test('without settings there are defaults, and an empty variable is as none', () => {
  expect(readSettings({ PORT: '', DATABASE_URL: '' })).toMatchObject({
    PORT: 8080,
    HOST: '127.0.0.1',
    TIDEMARK_LEASE_SECONDS: 60,
    allowPrivateCidrs: [],
  })
})

test('lists are split at commas, numbers are read as digits', () => {
  const settings = readSettings({ PORT: '0', TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8, ::1/128 ,' })
  expect(settings).toMatchObject({ PORT: 0, allowPrivateCidrs: ['127.0.0.0/8', '::1/128'] })
})

test('every fault is named at once, those of form beside those between settings', () => {
  const wrong = {
    PORT: '80a',
    TIDEMARK_LEASE_SECONDS: '1',
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '10.0.0.0/33',
    TIDEMARK_BASE_URL: 'ftp://example.com',
    DATABASE_URL: 'mysql://localhost/x',
    TIDEMARK_LEASE_SECOND: '5',
  }
  expect(faults(wrong).sort()).toEqual(
    [
      'DATABASE_URL',
      'PORT',
      'TIDEMARK_ALLOW_PRIVATE_CIDRS',
      'TIDEMARK_BASE_URL',
      'TIDEMARK_ENCRYPTION_KEY',
      'TIDEMARK_LEASE_SECOND',
      'TIDEMARK_LEASE_SECONDS',
    ].sort(),
  )
})

const messages = (environment: Record<string, string>): string => {
  try {
    readSettings(environment)
    return ''
  } catch (error) {
    return error instanceof SettingsError ? error.message : String(error)
  }
}

test('a setting that is too long hides no other fault', () => {
  expect(faults({ TIDEMARK_DATA_DIR: 'x'.repeat(2000), PORT: 'http', SMTP_URL: 'x', AWS_REGION: 'y\u0000' })).toEqual(
    expect.arrayContaining(['TIDEMARK_DATA_DIR', 'PORT', 'SMTP_URL', 'SMTP_FROM', 'AWS_REGION']),
  )
})

test('the value that is wrong is shown, cut where it is long', () => {
  expect(messages({ PORT: 'http' })).toContain('  PORT must be an integer; it is "http"\n')
  expect(messages({ TIDEMARK_SIGNUP: 'closed' })).toMatch(/must be one of .*; it is "closed"/)
  expect(messages({ TIDEMARK_BASE_URL: 'ftp://a' })).toContain('; it is "ftp://a"')
  expect(messages({ TIDEMARK_DATA_DIR: 'x'.repeat(2000) }).length).toBeLessThan(300)
})

test('the value of a secret setting is never shown, nor a secret in another value, nor an unknown setting', () => {
  const canary = 'canary-of-a-secret'
  const long = canary.repeat(1000)
  for (const name of SECRET_SETTINGS)
    for (const text of [`${canary} \u0007`, long]) expect(messages({ [name]: text }), name).not.toContain(canary)
  const address = `https://user:${canary}@models.example/v1`
  for (const name of ['LLM_BASE_URL', 'S3_ENDPOINT', 'TIDEMARK_RUNNER_API_URL'])
    expect(messages({ [name]: address }), name).toMatch(new RegExp(`^(?!.*${canary}).*${name}`, 's'))
  expect(messages({ TIDEMARK_ENCRYPTIONKEY: canary })).toMatch(
    /ENCRYPTIONKEY is not a setting \(did you mean "TIDEMARK_ENCRYPTION_KEY"\?\)\n/,
  )
})

test.each([
  ['TIDEMARK_DATADIR', 'TIDEMARK_DATA_DIR'],
  ['TIDEMARK_PORT', 'PORT'],
  ['TIDEMARK_CHECK_CONCURENCY', 'TIDEMARK_CHECK_CONCURRENCY'],
  ['TIDEMARK_DATABASE_URL', 'DATABASE_URL'],
])('the setting that %s was meant for is named', (name, meant) => {
  expect(messages({ [name]: '1' })).toContain(`${name} is not a setting (did you mean "${meant}"?)`)
})

test('a name that is like no setting is guessed to be none', () => {
  expect(messages({ TIDEMARK_XYLOPHONE: '1' })).toContain('TIDEMARK_XYLOPHONE is not a setting\n')
})

test('a secret in a long address is not shown in part', () => {
  const canary = 'canary'.repeat(40)
  for (const address of [
    `https://user:${canary}@models.example/v1`,
    `https://user:p"a\\s/s@${canary}@models.example/v1`,
    `models.example/v1?api_key=${canary}`,
  ])
    for (const name of ['LLM_BASE_URL', 'S3_ENDPOINT', 'TIDEMARK_BASE_URL', 'TIDEMARK_RUNNER_API_URL'])
      expect(messages({ [name]: `ftp://${address}\u0007` }), name).not.toContain('canary')
})

describe('variables that Kubernetes sets for a Service', () => {
  const linksOf = (service: string) => ({
    [`${service}_SERVICE_HOST`]: '10.96.12.4',
    [`${service}_SERVICE_PORT`]: '8080',
    [`${service}_SERVICE_PORT_HTTP`]: '8080',
    [`${service}_PORT`]: 'tcp://10.96.12.4:8080',
    [`${service}_PORT_8080_TCP`]: 'tcp://10.96.12.4:8080',
    [`${service}_PORT_8080_TCP_PROTO`]: 'tcp',
    [`${service}_PORT_8080_TCP_PORT`]: '8080',
    [`${service}_PORT_8080_TCP_ADDR`]: '10.96.12.4',
  })

  test.each(['TIDEMARK', 'TIDEMARK_API', 'TIDEMARK_METRICS', 'TIDEMARK_RUNNER_API'])(
    'named %s are no settings',
    (service) => {
      const settings = readSettings(linksOf(service))
      expect(settings.ignored).toEqual(Object.keys(linksOf(service)).sort())
      expect(settings).toMatchObject({ PORT: 8080 })
      expect(settings.TIDEMARK_METRICS_PORT).toBeUndefined()
      expect(settings.TIDEMARK_RUNNER_API_PORT).toBeUndefined()
    },
  )

  test('are recognized with an address of IPv6, and a port that the pod sets itself stays a setting', () => {
    const links = {
      TIDEMARK_METRICS_SERVICE_HOST: 'fd00::4',
      TIDEMARK_METRICS_PORT_9100_TCP: 'tcp://[fd00::4]:9100',
      TIDEMARK_METRICS_PORT: '9200',
    }
    expect(readSettings(links)).toMatchObject({ TIDEMARK_METRICS_PORT: 9200 })
  })

  test('are nothing else: another name, another value, or no address of the Service is a fault', () => {
    const links = linksOf('TIDEMARK')
    for (const [name, value] of [
      ['TIDEMARK_SERVICE_HOSTS', '10.0.0.1'],
      ['TIDEMARK_PORTS', 'tcp://10.96.12.4:8080'],
      ['TIDEMARK_PORT_8080_TCP_TTL', '1'],
      ['TIDEMARK_PORT_9090_TCP', 'http://10.96.12.4:8080'],
      ['TIDEMARK_METRICS_PORT', 'tcp://10.96.12.4:9100'],
    ] as const)
      expect(faults({ ...links, [name]: value })).toEqual([name])
    expect(faults({ TIDEMARK_PORT: 'tcp://10.96.12.4:8080', TIDEMARK_SERVICE_HOST: 'somewhere' })).toEqual([
      'TIDEMARK_PORT',
      'TIDEMARK_SERVICE_HOST',
    ])
  })
})

test('hexadecimal, fractions and exponents are no numbers of settings', () => {
  for (const text of ['0x50', '8080.5', '8e3', ' 8080', '65536', '-1'])
    expect(faults({ PORT: text }), text).toEqual(['PORT'])
})

test('the address of the proxy is checked, and nothing of it repeated', () => {
  expect(faults({ TIDEMARK_PROXY_URL: 'http://user:p%40ss@proxy.example:8000' })).toEqual([])
  for (const text of [
    'proxy.example:8000',
    'socks5://user:s3cret@proxy.example',
    'http://user:s3cret@proxy.example/path',
  ]) {
    expect(faults({ TIDEMARK_PROXY_URL: text })).toEqual(['TIDEMARK_PROXY_URL'])
    expect(() => readSettings({ TIDEMARK_PROXY_URL: text })).toThrow(/^(?!.*s3cret)/s)
  }
})

test('a start under wrong settings lists them all, starts nothing and exits with 1', async () => {
  await using folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')
  const { code, stdout, stderr } = await runCli(['serve'], {
    PORT: 'http',
    TIDEMARK_RATE_LIMIT: 'many',
    TIDEMARK_DATA_DIR: dataDir,
    TIDEMARK_TRUSTED_PROXIES: 'everyone',
  })
  expect([code, stdout]).toEqual([1, ''])
  for (const name of ['PORT', 'TIDEMARK_RATE_LIMIT', 'TIDEMARK_TRUSTED_PROXIES']) expect(stderr).toContain(`  ${name} `)
  expect(stderr).not.toContain('    at ')
  expect(await readdir(folder.path)).toEqual([])
})

test('parts of an installation need its database, and say so with the other faults; they start nothing', async () => {
  await using folder = await temporaryFolder()
  const runs = await Promise.all(
    ['api', 'worker'].map((command) =>
      runCli([command], { PORT: 'http', TIDEMARK_DATA_DIR: join(folder.path, command) }),
    ),
  )
  for (const { code, stderr } of runs) {
    expect(code).toBe(1)
    expect(stderr).toContain('DATABASE_URL is required')
    expect(stderr).toContain('PORT must be')
    // What collects logs reads one object a line.
    const [line = '', ...more] = stderr.trimEnd().split('\n')
    expect([JSON.parse(line), more]).toMatchObject([
      { level: 'error', msg: expect.stringMatching(/^The settings are not valid: /) },
      [],
    ])
  }
  expect(await readdir(folder.path)).toEqual([])
})

test('a runner that cannot start says why in one line of its log, as the other parts do', async () => {
  const { code, stderr } = await runCli(['runner'], { PORT: 'http' })
  expect(code).toBe(1)
  const [line = '', ...more] = stderr.trimEnd().split('\n')
  expect([JSON.parse(line), more]).toMatchObject([{ level: 'error', msg: expect.stringContaining('PORT must be') }, []])
})

test('a database that does not answer is said so without a stack, and without its password', async () => {
  const { code, stderr } = await runCli(['migrate'], {
    DATABASE_URL: 'postgres://someone:canary@127.0.0.1:1/none',
    TIDEMARK_ENCRYPTION_KEY: 'the key of a test',
  })
  expect(code).toBe(1)
  expect(stderr).toContain('nothing accepts connections there')
  expect(stderr).not.toMatch(/canary|\n\s+at /)
})

test('every command explains itself, with an example', async () => {
  const commands = [['--help'], ['serve', '--help'], ['worker', '--help'], ['admin', 'create-owner', '--help']]
  const answers = await Promise.all(commands.map((args) => runHere(args)))
  for (const { code, stdout } of answers) {
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: tidemark')
    expect(stdout).toContain('  $ ')
  }
}, 60_000)

test.each([
  ['postgres://someone:can@ry/canary@host:port/x', 'is not an address such as postgres://user'],
  ['postgres://someone:canary100%@host/x', 'is not an address such as postgres://user'],
  ['postgres://someone:canary@/x?host=/run/postgresql', 'is not an address such as postgres://user'],
  ['postgres://someone:canary@host/x?sslmode=verify-full', 'has an sslmode that is not known; use require'],
  ['postgres://someone:canary@host/x?sslrootcert=/ca.pem', 'has sslrootcert, which has no effect; set NODE_EXTRA_CA'],
])('the address %s of a database is refused without being shown', (DATABASE_URL, message) => {
  const text = messages({ DATABASE_URL, TIDEMARK_ENCRYPTION_KEY: 'a key of the tests, which is long enough' })
  expect(text).toContain(`DATABASE_URL ${message}`)
  expect(text).not.toContain('canary')
})

describe('a secret in a file', () => {
  const fault = async (content: string | Uint8Array, name = 'TIDEMARK_METRICS_TOKEN') => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'secret')
    await writeFile(file, content)
    return messages({ [`${name}_FILE`]: file }).replaceAll(file, 'FILE')
  }

  test.each(SECRET_SETTINGS)('may be that of %s', async (name) => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'secret')
    await writeFile(file, 'canary-canary-canary')
    const text = messages({ [`${name}_FILE`]: file, [name]: 'canary' })
    expect(text).toContain(`${name}_FILE must not be set together with ${name}`)
    expect(text).not.toContain('canary')
    expect(messages({ [`${name}_FILE`]: '' })).not.toContain(`${name}_FILE`)
  })

  test('is read without the line break at its end', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'secret')
    for (const [content, read] of [
      ['a token of a test', 'a token of a test'],
      ['a token of a test\n', 'a token of a test'],
      ['a token of a test \r\n', 'a token of a test '],
      ['a token of a test\n\n', 'a token of a test\n'],
    ] as const) {
      await writeFile(file, content)
      expect(readSettings({ TIDEMARK_METRICS_TOKEN_FILE: file }).TIDEMARK_METRICS_TOKEN).toBe(read)
    }
  })

  test('that cannot be read is a fault with the setting and the path', async () => {
    await using folder = await temporaryFolder()
    const missing = join(folder.path, 'missing')
    const name = 'SMTP_URL_FILE'
    expect(messages({ [name]: missing })).toContain(`${name} names ${missing}, which does not exist`)
    expect(messages({ [name]: folder.path })).toContain(`${name} names ${folder.path}, which is a folder`)
    expect(messages({ [name]: '/dev/null' })).toContain(`${name} names /dev/null, which is not a file`)
    expect(await fault('')).toContain('TIDEMARK_METRICS_TOKEN_FILE names FILE, which is empty')
    expect(await fault('\n')).toContain('which is empty')
    expect(await fault('x'.repeat(65_537))).toContain('which is larger than 64 KiB')
    expect(await fault(Uint8Array.of(0xff, 0xfe, 0x41))).toContain('which is not text')
  })

  test('that is no valid value is a fault with the path and without the content', async () => {
    const text = await fault('canary')
    expect(text).toContain('TIDEMARK_METRICS_TOKEN_FILE (FILE) ')
    expect(text).not.toContain('canary')
    const database = await fault('mysql://canary@localhost/x', 'DATABASE_URL')
    expect(database).toContain('DATABASE_URL_FILE (FILE) must begin with postgres://')
    expect(database).not.toContain('canary')
  })

  test('counts as the setting, and its own fault is the only one', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'key')
    const DATABASE_URL = 'postgres://localhost/x'
    expect(faults({ DATABASE_URL, TIDEMARK_ENCRYPTION_KEY_FILE: file })).toEqual(['TIDEMARK_ENCRYPTION_KEY_FILE'])
    await writeFile(file, 'the newer key of a test,the key of a test\n')
    expect(faults({ DATABASE_URL, TIDEMARK_ENCRYPTION_KEY_FILE: file })).toEqual([])
  })

  test('opens a store: the database and its key both come from files', async () => {
    await using folder = await temporaryFolder()
    const database = await createTestDatabase()
    const [url, key] = [join(folder.path, 'url'), join(folder.path, 'key')]
    await writeFile(url, `${database.url}\n`)
    await writeFile(key, 'a key of the tests, which is long enough\n')
    const environment = { DATABASE_URL_FILE: url, TIDEMARK_ENCRYPTION_KEY_FILE: key }
    const { code, stdout, stderr } = await runHere(['admin', 'list-keys', '--email', 'a@example.com'], environment)
    expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: '' })
    expect(stderr).toContain('there is no account with the address a@example.com')
    await database.drop()
  })
})

test.each([
  ['short,the key of a test', 'has a key of fewer than 16 characters: number 1'],
  ['the key of a test,the key of a test', 'lists a key twice'],
  [',,,,,,,,,,,,,,,,', 'lists no key'],
  [Array.from({ length: 11 }, (_, at) => `the key number ${at} of a test`).join(','), 'lists more than 10 keys'],
])('a list of keys that cannot be used is a fault that shows no key', (list, message) => {
  const text = messages({ TIDEMARK_ENCRYPTION_KEY: list })
  expect(text).toContain(`TIDEMARK_ENCRYPTION_KEY ${message}`)
  expect(text).not.toContain('of a test')
})
