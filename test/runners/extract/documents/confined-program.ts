import { execFileSync, fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

// Tries what the process that opens files must not be able to do, and writes the result of each.

const TRIES: Readonly<Record<string, () => unknown>> = {
  'read a file of the system': () => readFileSync('/etc/hosts'),
  'list the folder above the program': () => readFileSync(new URL('../../../../README.md', import.meta.url)),
  'write a file': () => writeFileSync('/tmp/tidemark-confined', ''),
  'start a program': () => execFileSync('/bin/true'),
  'start itself': () => fork(import.meta.filename),
  'start a thread': () => new Worker('', { eval: true }),
  'make code of a text': () => Reflect.apply(Reflect.get(globalThis, 'eval'), undefined, ['1']),
  'make a function of a text': () => Reflect.construct(Function, ['return 1']),
  'see the environment': () => {
    if (Object.keys(process.env).join() !== 'TZ') return 'seen'
    throw new Error('there is nothing')
  },
}

const outcomes = Object.entries(TRIES).map(([what, run]) => {
  try {
    run()
    return [what, 'done']
  } catch {
    return [what, 'refused']
  }
})
process.stdout.write(JSON.stringify(Object.fromEntries(outcomes)))
