import { describe, expect, test } from 'vitest'
import { borderFaults, unusedPermissions } from '../../../tools/check/borders.ts'

const faults = (path: string, ...lines: string[]): string[] => borderFaults({ path, text: `${lines.join('\n')}\n` })

describe('a border', () => {
  test('lets a folder import itself and those below it', () => {
    expect(
      faults(
        'store/runs/runs.ts',
        "import { pool } from '../db/client.ts'",
        "import { Run } from '../../schema/run.ts'",
      ),
    ).toEqual([])
  })

  test('keeps a folder from importing one above it, and names the line', () => {
    expect(faults('store/runs/runs.ts', '', "import { app } from '../../api/http/app.ts'")).toEqual([
      'store/runs/runs.ts:2: store may not import api/http/app.ts (it may: schema, core, concurrency)',
    ])
  })

  test('counts a type, a re-export, a dynamic import and an import over several lines', () => {
    expect(faults('core/a.ts', "import type { A } from '../store/a.ts'")).toHaveLength(1)
    expect(faults('core/a.ts', "export * from '../store/a.ts'")).toHaveLength(1)
    expect(faults('core/a.ts', "  const a = await import('../store/a.ts')")).toHaveLength(1)
    expect(faults('core/a.ts', 'import {', '  a,', '  b,', "} from '../store/a.ts'")).toHaveLength(1)
    expect(faults('core/a.ts', "import '../store/a.ts'")).toHaveLength(1)
  })

  test('keeps a folder within a room from those beside it that it knows nothing of', () => {
    const line = "import type { SearchPage } from '../serp/search-page.ts'"
    expect(faults('runners/extract/page.ts', line)).toEqual([
      'runners/extract/page.ts:1: runners/extract may not import runners/serp/search-page.ts (it may not: ' +
        'runners/serp, runners/check, runners/loop, runners/client)',
    ])
    expect(faults('runners/check/reading.ts', line)).toEqual([])
  })

  test('keeps the dashboard and its packages to itself', () => {
    expect(faults('dashboard/src/app/app.tsx', "import { useState } from 'react'")).toEqual([])
    expect(faults('dashboard/src/app/app.tsx', "import { Run } from '../../../schema/run/run.ts'")).toHaveLength(1)
    expect(faults('dashboard/src/app/app.tsx', "import { readFile } from 'node:fs'")).toHaveLength(1)
    expect(faults('api/pages/page.ts', "import { useState } from 'react'")).toHaveLength(1)
    expect(faults('api/pages/page.ts', "import { App } from '../../dashboard/src/app/app.tsx'")).toHaveLength(1)
  })

  test('keeps the package for Pulumi from all that is not generated into it, but not its tests', () => {
    const line = "import { Monitor } from '../../schema/monitor/monitor.ts'"
    expect(faults('pulumi/src/monitor.ts', line)).toHaveLength(1)
    expect(faults('pulumi/src/monitor.ts', "import { Type } from 'typebox'")).toHaveLength(1)
    expect(faults('pulumi/test/monitor.test.ts', line, "import { test } from 'vitest'")).toEqual([])
  })

  test('does not read comments', () => {
    expect(
      faults('core/a.ts', '/**', " * import { a } from '../store/a.ts'", ' */', "// import '../store/b.ts'"),
    ).toEqual([])
  })

  test('opens the egress guard to deliveries, and runners not', () => {
    expect(faults('deliveries/channels/webhook.ts', "import { dial } from '../../egress/dial.ts'")).toEqual([])
    expect(
      faults('deliveries/channels/webhook.ts', "import { loop } from '../../runners/loop/check-loop.ts'"),
    ).toHaveLength(1)
  })

  test('is not taken in by a folder whose name begins alike', () => {
    expect(faults('core/a.ts', "import { a } from '../schemata/a.ts'")).toHaveLength(1)
  })

  test('gives a package to the folders that own it', () => {
    expect(faults('store/db/client.ts', "import pg from 'pg'")).toEqual([])
    expect(faults('core/a.ts', "import pg from 'pg'")).toEqual([
      'core/a.ts:1: core may not import pg (see tools/check/border-table.ts)',
    ])
    expect(faults('schema/a.ts', "import { Compile } from 'typebox/compile'")).toEqual([])
    expect(faults('schema/a.ts', "import { readFile } from 'node:fs/promises'")).toHaveLength(1)
    expect(faults('schema/a.ts', "import { readFile } from 'fs'")).toHaveLength(1)
  })

  test('leaves tests and tools alone', () => {
    expect(
      faults('test/store/a.test.ts', "import { app } from '../../api/http/app.ts'", "import net from 'node:net'"),
    ).toEqual([])
  })
})

describe('the table', () => {
  const file = (path: string, specifier: string) => ({ path, text: `import { a } from '${specifier}'\n` })

  test('allows a folder nothing that the folder does not use', () => {
    const files = [file('manifests/read.ts', '../schema/a.ts'), file('manifests/write.ts', 'node:fs/promises')]
    const found = unusedPermissions(files).filter((fault) => fault.includes(': manifests '))
    expect(found).toEqual([
      "tools/check/border-table.ts: manifests imports nothing of core; take it out of the folder's border",
      "tools/check/border-table.ts: manifests imports nothing of yaml; take it out of the folder's border",
    ])
  })

  test('counts a package that is only resolved', () => {
    const explorer = { path: 'api/manual/a.ts', text: 'const of = (a: string) => import.meta.resolve(`marked/${a}`)\n' }
    const found = unusedPermissions([explorer])
    expect(found.filter((fault) => fault.includes(' marked'))).toEqual([])
    expect(found.filter((fault) => fault.includes(' swagger-ui-dist'))).toHaveLength(1)
  })

  test('lets no folder open connections that opens none', () => {
    const found = unusedPermissions([file('egress/dial.ts', 'node:net')])
    expect(found).toContain(
      "tools/check/border-table.ts: platform opens no connections; take it out of the network's folders",
    )
    expect(found.filter((fault) => fault.includes(': egress opens'))).toEqual([])
  })
})

describe('the network', () => {
  test('is opened by the guard', () => {
    expect(faults('egress/dial.ts', "import { connect } from 'node:net'")).toEqual([])
  })

  test.each(['undici', 'node:net', 'node:tls', 'node:http', 'node:https', 'node:dns/promises', 'http', 'net'])(
    'is not opened with %s by anything beside it',
    (module) => {
      expect(faults('runners/extract/page.ts', `import { request } from '${module}'`)[0]).toContain('opens connections')
    },
  )
})

describe('the model', () => {
  test('is asked by prompts alone; what fetches and parses can neither ask nor import what does', () => {
    expect(faults('worker/prompts/model/model.ts', "import { OpenAI } from 'openai'")).toEqual([])
    for (const path of [
      'worker/queue/answered.ts',
      'api/http/app.ts',
      'boot/parts/model.ts',
      'deliveries/mail/mailer.ts',
    ])
      expect(faults(path, "const { OpenAI } = await import('openai')")[0]).toContain('openai')
    expect(
      faults('runners/check/check.ts', "import { createModel } from '../../worker/prompts/model/model.ts'")[0],
    ).toContain('may not import worker/prompts/model/model.ts')
  })
})
