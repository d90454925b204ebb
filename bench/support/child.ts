import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process of the bench that handles one question at a time. */
export interface Child<Question, Answer> {
  readonly pid: number
  ask(question: Question): Promise<Answer>
  stop(): Promise<void>
}

interface Reply {
  readonly answer?: unknown
  readonly error?: string
}

/** Starts a module in a process of its own, with these flags of Node. The module calls `answerParent`. */
export function startChild<Question extends object, Answer>(
  module: URL,
  execArgv: readonly string[] = [],
): Child<Question, Answer> {
  const file = fileURLToPath(module)
  const child = fork(file, {
    execArgv: [...execArgv],
    serialization: 'advanced',
  })
  return {
    pid: child.pid ?? 0,
    async ask(question) {
      const reply = nextReply(child, file)
      child.send(question)
      const { answer, error } = await reply
      if (error !== undefined) throw new Error(`${file}: ${error}`)
      return answer as Answer
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function nextReply(child: ChildProcess, file: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: Reply): void => {
      child.off('exit', onExit)
      resolve(reply)
    }
    const onExit = (): void => {
      child.off('message', onMessage)
      reject(new Error(`${file} ended before it answered`))
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
  })
}

/** Handles each question of the parent in the child process, and ends when the parent does. */
export function answerParent<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  const reply = (message: Reply): void => void process.send?.(message)
  process.on('disconnect', () => process.exit())
  process.on('message', (question: Question) => {
    answer(question).then(
      (value) => reply({ answer: value }),
      (error: unknown) => reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
}
