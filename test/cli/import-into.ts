import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import { readManifests } from '../../manifests/read-manifests.ts'
import { resolveManifest } from '../../manifests/resolve-manifest.ts'
import { secretSource } from '../../manifests/secret-values.ts'
import { checkPage } from '../../monitors/check/check-configuration.ts'
import { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { runHere } from '../support/process/run-here.ts'

const egress = createPolicy({ allowPrivateCidrs: ['0.0.0.0/0', '::/0'], neverAllow: [] })

/** Imports a text, and reads the manifests as a server does. Those that are not valid fail the test. */
export async function importInto(folder: string, tool: string, text: string, ...options: readonly string[]) {
  const path = join(folder, `${tool}.txt`)
  await writeFile(path, text)
  const { code, stdout, stderr } = await runHere(['import', tool, path, ...options])
  expect(code, stderr).toBe(0)
  const { manifests, secrets, faults } = readManifests([{ file: 'out', text: stdout }])
  expect(faults).toEqual([])
  const monitors = new Map<string, MonitorSpec & { readonly suspend: boolean }>()
  for (const manifest of manifests) {
    const resolved = resolveManifest(manifest, MonitorSpec, secretSource(secrets, {}))
    expect(resolved.faults).toEqual([])
    const checked = checkPage(resolved.body, { egress, isNew: true })
    if (checked.kind !== 'valid') throw new Error(JSON.stringify(checked))
    monitors.set(manifest.name, { ...checked.spec, suspend: manifest.suspend })
  }
  return { monitors, report: stderr.trim().split('\n'), stdout }
}
