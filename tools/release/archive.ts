import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const run = promisify(execFile)

/** Packs a folder of `parent` into a `.tgz`, which depends on its files and on `seconds` alone, not on who packs it. */
export async function packFolder(parent: string, folder: string, seconds: number, file: string): Promise<void> {
  const tar = `${file}.tar`
  const equal = [`--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  await run('tar', ['--sort=name', '--format=ustar', ...equal, '-cf', tar, '-C', parent, folder])
  // Node writes no time into the head of its stream.
  await writeFile(file, await promisify(gzip)(await readFile(tar), { level: 9 }))
  await rm(tar)
}
