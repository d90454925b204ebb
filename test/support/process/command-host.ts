import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { runCommandHere } from './run-here.ts'

/** The variable that tells `commandScript` the port of a host. Without it the script starts a process. */
const HOST_VARIABLE = 'PORT_OF_COMMANDS'

/** In the environment of a shell, commands are processes: for what a process alone has, such as a closed pipe. */
export const AS_PROCESSES = { [HOST_VARIABLE]: '' }

/** They go on until a signal comes, or read what a whole process has. */
const GOING_ON = [
  ...['serve', 'api', 'worker', 'runner', 'browser', 'operator', 'tail', 'verify-webhook'],
  ...['doctor', 'cluster-secret'],
]

/**
 * Returns a script of bash that is the command for shells: it runs in the process of the test, with the streams of the
 * shell. For commands that go on until a signal comes, at a terminal, for an output that is another device, and where
 * there is no host, it is the program at `entry`.
 */
export const commandScript = (entry: string): string => `#!/usr/bin/env bash
case "\${${HOST_VARIABLE}:-} \${1:-}" in
  ' '* | ${GOING_ON.map((name) => `*' ${name}'`).join(' | ')}) exec "${entry}" "$@" ;;
esac
if [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || { [ -c /dev/stdout ] && ! [ /dev/stdout -ef /dev/null ]; }; then
  exec "${entry}" "$@"
fi
id=$$-$RANDOM-$RANDOM
open() { eval "exec $1<>/dev/tcp/127.0.0.1/$${HOST_VARIABLE}" && printf '%s %s\\0' "$2" "$id" >&"$1"; }
# Bash gives a command in the background no standard input of its own accord.
exec 9<&0
open 4 stdout || exit 125
cat <&4 &
exec 4<&-
open 5 stderr
cat <&5 >&2 &
exec 5<&-
open 3 command
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&3
code=125
while read -r word value <&3; do
  case $word in
    read)
      open 6 stdin
      { cat <&9 >&6; } 2>/dev/null 3<&- &
      reader=$!
      exec 6<&- ;;
    end) code=$value ;;
  esac
done
[ -z "\${reader:-}" ] || kill "$reader" 2>/dev/null
wait
exit "$code"
`

/** Runs in this process what the scripts of shells ask for. */
export async function openCommandHost() {
  const [arrived, sockets] = [new Map<string, PromiseWithResolvers<Socket>>(), new Set<Socket>()]
  const streamOf = (name: string) => {
    const one = arrived.get(name) ?? Promise.withResolvers<Socket>()
    arrived.set(name, one)
    return one
  }
  async function receive(socket: Socket): Promise<void> {
    const name = await recordOf(socket)
    const [kind, id = ''] = name.split(' ')
    if (kind !== 'command') return streamOf(name).resolve(socket)
    const { args, cwd, environment } = await requestOf(socket)
    const [stdout, stderr] = await Promise.all([streamOf(`stdout ${id}`).promise, streamOf(`stderr ${id}`).promise])
    const stdin = Readable.from(onceRead(socket, streamOf(`stdin ${id}`).promise), { objectMode: false })
    const code = await runCommandHere(args, { environment, cwd, stdin, stdout, stderr })
    for (const stream of [stdout, stderr]) stream.end()
    socket.end(`end ${code}\n`)
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    receive(socket).catch(() => socket.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    environment: { [HOST_VARIABLE]: String((server.address() as AddressInfo).port) },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A shell gives its standard input to a command that reads it, and to no other. */
async function* onceRead(socket: Socket, stdin: Promise<Socket>): AsyncGenerator<Buffer> {
  socket.write('read\n')
  yield* (await stdin) as AsyncIterable<Buffer>
}

async function requestOf(socket: Socket) {
  const cwd = await recordOf(socket)
  const args: string[] = []
  for (let left = Number(await recordOf(socket)); left > 0; left -= 1) args.push(await recordOf(socket))
  const entries: (readonly [string, string])[] = []
  for (let entry = await recordOf(socket); entry !== ''; entry = await recordOf(socket)) {
    const at = entry.indexOf('=')
    entries.push([entry.slice(0, at), entry.slice(at + 1)])
  }
  return { cwd, args, environment: Object.fromEntries(entries.filter(([name]) => name !== HOST_VARIABLE)) }
}

/** Reads up to the next zero byte. What follows stays in the stream. */
async function recordOf(socket: Socket): Promise<string> {
  const bytes: Buffer[] = []
  for (;;) {
    const byte = socket.read(1) as Buffer | null
    if (byte?.[0] === 0) return Buffer.concat(bytes).toString('utf8')
    if (byte) bytes.push(byte)
    else if (socket.readableEnded) throw new Error('the shell ended before it had said what to run')
    else await Promise.race([once(socket, 'readable'), once(socket, 'end')])
  }
}
