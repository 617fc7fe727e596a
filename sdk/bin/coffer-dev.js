#!/usr/bin/env node
import { existsSync } from 'node:fs'

// It exists only in Coffer's own repository: the installed package is compiled.
const build = new URL('./build.js', import.meta.url)
if (existsSync(build)) (await import(build.href)).ensureBuilt()
const { run } = await import('../dist/dev/run.js')

// The reader of the output, such as `head`, may close it.
process.stdout.on('error', () => process.exit(1))

// The first Ctrl-C stops after the event that is being forwarded, the second one immediately.
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort())

const hasColours = process.stdout.isTTY && process.stderr.isTTY && !process.env.NO_COLOR
process.exitCode = await run({
  words: process.argv.slice(2),
  env: process.env,
  signal: ending.signal,
  terminal: {
    print: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
    hasColours,
  },
})
