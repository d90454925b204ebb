const ERROR = /^(?:Uncaught )?([A-Z]\w{0,60}(?:Error|Exception)\b|Error\b)/m
const FRAME = /^\s+at .*(?:\.[cm]?[jt]s|node:[\w/]+):\d+:\d+\)?$/

/**
 * Returns what the log may have of the standard error of a process: the class of its error, and where it was thrown.
 * Messages may quote the file.
 */
export function traceOfOutput(output: string): string {
  const frames = output.split('\n').filter((line) => FRAME.test(line))
  return [ERROR.exec(output)?.[1] ?? 'the process has ended', ...frames].join('\n')
}
