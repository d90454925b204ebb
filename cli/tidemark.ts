#!/usr/bin/env node
import { cacheCompiledCode } from '../boot/process/lean-start.ts'

// Before the rest is loaded, so that all of it is found compiled.
cacheCompiledCode()
await import('./run-command-line.ts')
