import type { DoctorCheck } from './doctor-check.ts'
import { failed, ok } from './finding.ts'

export const nodeCheck: DoctorCheck = {
  limitMs: 1_000,
  reads: [],
  look({ neededNode }) {
    const what = `Node ${process.versions.node}; ${neededNode} or later is needed.`
    const isEnough = Number.parseInt(process.versions.node, 10) >= neededNode
    return isEnough
      ? ok(what)
      : failed(what, `Install Node ${neededNode}. In a clone, the script that starts Tidemark uses its own.`)
  },
}
