#!/usr/bin/env node
import { existsSync } from 'node:fs'

// Only Coffer's own repository has this file. The installed package is already compiled.
const build = new URL('./build.js', import.meta.url)
if (existsSync(build)) (await import(build.href)).ensureBuilt()
const { run } = await import('../dist/dev/run.js')

// The program that reads the output, such as `head`, may close the pipe.
process.stdout.on('error', () => process.exit(1))

// The first Ctrl-C ends the command after the event that is being forwarded. The second one ends it immediately.
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
