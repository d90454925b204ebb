import { execFile } from 'node:child_process'
import { chmod, mkdtemp, open, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A file system of its own, so small that it can be filled. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string
  /** Leaves no byte. Again, where somebody freed some since. */
  fill(): Promise<void>
  empty(): Promise<void>
}

const run = promisify(execFile)
const CHUNK = Buffer.alloc(1 << 20, 1)
const LITTLE = Buffer.alloc(4096, 1)

/** Null, and why, where this process may not mount one. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | { readonly refused: string }> {
  const path = await mkdtemp(join(tmpdir(), 'tidemark-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', path])
  } catch (error) {
    await rmdir(path)
    return { refused: String(error).split('\n')[0] ?? 'mount failed' }
  }
  await chmod(path, 0o711)
  const filler = join(path, 'filler')
  return {
    path,
    async fill() {
      await using file = await open(filler, 'a')
      for (const chunk of [CHUNK, LITTLE])
        for (;;)
          try {
            await file.appendFile(chunk)
          } catch {
            break
          }
    },
    empty: () => rm(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      await run('umount', [path])
      await rmdir(path)
    },
  }
}
