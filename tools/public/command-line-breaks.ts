import type { PublicCommand, PublicCommandLine, PublicOption } from './command-line-of.ts'

/** Returns the command lines that ended well before and do not now, and what scripts would read otherwise. */
export function commandLineBreaks(before: PublicCommandLine, now: PublicCommandLine): string[] {
  const commands = Object.entries(before.commands).flatMap(([words, command]) => {
    const found = now.commands[words]
    if (!found) return [`${words} is gone`]
    return commandBreaks(command, found).map((fault) => `${words}: ${fault}`)
  })
  const codes = Object.entries(before.exit_codes)
    .filter(([name, code]) => now.exit_codes[name] !== code)
    .map(([name, code]) => `the exit code ${name} was ${code}, and is ${now.exit_codes[name] ?? 'gone'}`)
  return [...commands, ...codes]
}

function commandBreaks(before: PublicCommand, now: PublicCommand): string[] {
  const options = Object.entries(before.options).flatMap(([flag, option]) => {
    const found = now.options[flag]
    return found ? optionBreaks(option, found).map((fault) => `${flag}: ${fault}`) : [`${flag} is gone`]
  })
  const added = Object.entries(now.options)
    .filter(([flag, { isMandatory }]) => isMandatory && !before.options[flag])
    .map(([flag]) => `${flag} is new and mandatory`)
  return [...argumentBreaks(before, now), ...options, ...added]
}

/** Arguments are known by their place. */
function argumentBreaks(before: PublicCommand, now: PublicCommand): string[] {
  const known = before.arguments.flatMap(({ name, isRequired, takesMore }, index) => {
    const found = now.arguments[index]
    if (!found) return [`the argument ${name} is gone`]
    if (found.isRequired && !isRequired) return [`the argument ${name} is required`]
    return takesMore && !found.takesMore ? [`the argument ${name} takes one value`] : []
  })
  const added = now.arguments.slice(before.arguments.length).filter(({ isRequired }) => isRequired)
  return [...known, ...added.map(({ name }) => `the argument ${name} is new and required`)]
}

function optionBreaks(before: PublicOption, now: PublicOption): string[] {
  const faults: string[] = []
  if (before.takes !== now.takes)
    faults.push(`it took ${before.takes ?? 'nothing'}, and takes ${now.takes ?? 'nothing'}`)
  if (now.isMandatory && !before.isMandatory) faults.push('it is mandatory')
  for (const choice of now.choices ? (before.choices ?? ['any value']) : [])
    if (!now.choices?.includes(choice)) faults.push(`${choice} is refused`)
  const [was, is] = [before.default, now.default].map((value) =>
    value === undefined ? 'unset' : JSON.stringify(value),
  )
  if (was !== is) faults.push(`the default was ${was}, and is ${is}`)
  return faults
}
