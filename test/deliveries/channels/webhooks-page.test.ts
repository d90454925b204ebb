import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sign } from '../../../core/signature.ts'
import { WEBHOOK_OWN_HEADERS } from '../../../schema/monitor/request-headers.ts'
import { describeIf } from '../../support/run/skip.ts'

const PAGE = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
const SECRET = 'e'.repeat(64)
const BODY = '{"text":"ünï 👍\\r\\n"}'

/** A signature, the body, and what a check should say to them. */
type Case = readonly [string, string, boolean]

/** Returns cases that are signed now: a check that starts later than a few seconds after that judges other ages. */
function signedNow(): readonly Case[] {
  const now = Math.floor(Date.now() / 1000)
  return [
    [sign([SECRET], now, BODY), BODY, true],
    [sign(['f'.repeat(64), SECRET], now, BODY), BODY, true],
    [sign([SECRET], now, BODY), `${BODY} `, false],
    [sign(['f'.repeat(64)], now, BODY), BODY, false],
    [sign([SECRET], now - 330, BODY), BODY, false],
    [sign([SECRET], now + 330, BODY), BODY, false],
    [`t=${now}`, BODY, false],
    ['v1=00', BODY, false],
    ['', BODY, false],
    [`t=${now},v1=é`, BODY, false],
  ]
}

function code(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1]
  if (found === undefined) throw new Error(`the page has no ${language} code`)
  return found
}

/** Runs a program of the page's code, which is ready to run and says what it thinks of each case. */
function expectVerdicts(name: string, args: readonly string[] = []): void {
  const cases = signedNow()
  const { stdout, stderr } = spawnSync(name, [...args, JSON.stringify(cases), SECRET], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(cases.map(([, , expected]) => expected))
}

describe('the code of docs/webhooks.md', () => {
  test('in TypeScript accepts our signatures and nothing else', () => {
    const program = `${code('ts')}
      const [cases, secret] = process.argv.slice(1)
      const verdict = ([header, body]) => isFromTidemark(header, Buffer.from(body), secret)
      process.stdout.write(JSON.stringify(JSON.parse(cases).map(verdict)))`
    expectVerdicts(process.execPath, ['--no-warnings', '--input-type=module-typescript', '-e', program])
  })
})

describeIf(spawnSync('python3', ['--version']).status === 0, 'install python3')(
  'the Python code of docs/webhooks.md',
  () => {
    test('accepts our signatures and nothing else', () => {
      const program = `${code('python')}
import json, sys
print(json.dumps([is_from_tidemark(h, b.encode(), sys.argv[2]) for h, b, _ in json.loads(sys.argv[1])]))`
      expectVerdicts('python3', ['-c', program])
    })
  },
)

describeIf(spawnSync('go', ['version']).status === 0, 'install go')('the Go code of docs/webhooks.md', () => {
  test('accepts our signatures and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-go-'))
    try {
      await writeFile(join(folder, 'go.mod'), 'module receiver\n\ngo 1.21\n')
      await writeFile(join(folder, 'receiver.go'), code('go').replace('package receiver', 'package main'))
      await writeFile(join(folder, 'main.go'), GO_MAIN)
      // No network and no flags of whoever runs this. The cache is theirs: it takes a while to fill.
      const env = { ...process.env, GOFLAGS: '', GOPROXY: 'off', GOTOOLCHAIN: 'local' }
      // Compiled before anything is signed: a cold compiler may take longer than a signature is early or late.
      const built = spawnSync('go', ['build', '-o', 'receiver', '.'], { cwd: folder, env, encoding: 'utf8' })
      expect(built).toMatchObject({ status: 0, stderr: '' })
      expectVerdicts(join(folder, 'receiver'))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }, 300_000)
})

/** Says what the page's code thinks of each case. */
const GO_MAIN = `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var cases [][]any
	if err := json.Unmarshal([]byte(os.Args[1]), &cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, one := range cases {
		verdicts = append(verdicts, IsFromTidemark(one[0].(string), []byte(one[1].(string)), os.Args[2]))
	}
	said, _ := json.Marshal(verdicts)
	fmt.Println(string(said))
}
`

test('the request on the page has the headers that are sent', () => {
  const names = [...code('http').matchAll(/^([\w-]+): /gm)].map(([, name = '']) => name.toLowerCase())
  expect(names.toSorted()).toEqual([...WEBHOOK_OWN_HEADERS, 'x-team'].sort())
})
