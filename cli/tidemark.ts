#!/usr/bin/env node
import { cacheCompiledCode } from '../boot/process/lean-start.ts'

// Before the rest is loaded, so that all of it is found compiled.
cacheCompiledCode()
// Node's thread pool resolves names and decompresses bodies. With the default of four threads, four name servers that
// do not answer would block it.
process.env['UV_THREADPOOL_SIZE'] ??= '24'
const { runCommandLine } = await import('./run-command-line.ts')
await runCommandLine(process, process.argv.slice(2))
