import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A file of the repository: its path from the root, with `/`, and its content. */
export interface SourceFile {
  path: string
  text: string
}

const NOT_TEXT = /\.(png|ico|woff2|gz|tgz|pdf|jpg)$/

/** Returns every text file below `root` that git has, or would add. */
export async function sourceFiles(root: string): Promise<SourceFile[]> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await promisify(execFile)('git', listing, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const paths = stdout.split('\0').filter((path) => path !== '' && !NOT_TEXT.test(path))
  const files = await Promise.all(
    paths.map(async (path) => {
      // The file is listed, but removed from the work tree.
      const text = await readFile(join(root, path), 'utf8').catch(() => null)
      return text === null ? [] : [{ path, text }]
    }),
  )
  return files.flat()
}
