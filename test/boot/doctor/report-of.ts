import { expect } from 'vitest'
import { runDoctor } from '../../../boot/doctor/run-doctor.ts'
import { type DoctorCheckName, DoctorReport } from '../../../schema/doctor.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'

export type Environment = Parameters<typeof runDoctor>[0]['environment']
export type Checks = Parameters<typeof runDoctor>[0]['checks']

/** Returns the report for an environment, without a browser unless that asks for one. */
export async function reportOf(environment: Environment, checks: Checks = {}): Promise<DoctorReport> {
  const all = { TIDEMARK_BROWSER_PAGES: '0', PORT: '0', ...environment }
  const report = await runDoctor({ environment: all, version: '1.2.3', neededNode: 24, checks })
  expect(checkerOf(DoctorReport).validate(report)).toMatchObject({ ok: true })
  return report
}

export const checkIn = ({ checks }: DoctorReport, name: DoctorCheckName) => checks.find((check) => check.name === name)!
export const found = async (name: DoctorCheckName, environment: Environment) =>
  checkIn(await reportOf(environment), name)
