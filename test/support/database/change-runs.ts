import { conditionOf, literal, type Monitors, runStatement, type Statements } from './stored-rows.ts'

const ofMonitors = (monitors: Monitors) =>
  `where monitor_no in (select no from monitors where ${conditionOf(monitors)})`

/** An earlier version recorded their runs: it did not write down whether they fired. */
export const forgetFired = (on: Statements, monitors: Monitors): Promise<void> =>
  runStatement(on, `update runs set fired = null ${ofMonitors(monitors)}`)

/** An earlier version recorded their runs: it kept no text of a page. */
export const forgetTexts = (on: Statements, monitors: Monitors): Promise<void> =>
  runStatement(on, `update runs set text_before = null, text_after = null ${ofMonitors(monitors)}`)

/** Their runs read this. */
export const setExtracted = (on: Statements, monitors: Monitors, extracted: object): Promise<void> =>
  runStatement(on, `update runs set extracted = ${literal(extracted)} ${ofMonitors(monitors)}`)

/** Retention has taken a run. */
export const dropRun = (on: Statements, id: string): Promise<void> =>
  runStatement(on, `delete from runs where id = ${literal(id)}`)
