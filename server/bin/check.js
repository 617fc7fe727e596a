/**
 * Runs `npm run check`: Biome, the types of the three workspaces and the tidy tests. The steps do not depend
 * on each other, so two of them run at a time. The slowest step starts first. The output of each step is
 * printed after the step has ended, so that outputs do not mix.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsc } from './build.js'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const require = createRequire(import.meta.url)
const biome = require.resolve('@biomejs/biome/bin/biome')
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs')
const atOnce = 2

const steps = [
  { name: 'types of the server', words: [tsc(), '-p', 'server/tsconfig.json'] },
  { name: 'Biome', words: [biome, 'ci', '.'] },
  { name: 'types of the dashboard', words: [tsc(), '-p', 'web/tsconfig.json'] },
  { name: 'tidy tests', words: [vitest, 'run', '--project', 'tidy'] },
  { name: 'types of the SDK', words: [tsc(), '-p', 'sdk/tsconfig.json'] },
]

/** Runs a step and prints all its output. Resolves to true if the step passed. */
function run({ name, words }) {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
    child.on('close', (code) => {
      const tookS = Math.round((performance.now() - startedAt) / 1000)
      process.stdout.write(Buffer.concat(said))
      console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${name} (${tookS} s)`)
      resolve(code === 0)
    })
  })
}

const waiting = [...steps]
const failed = []
async function work() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    if (!(await run(step))) failed.push(step.name)
  }
}
await Promise.all(Array.from({ length: atOnce }, work))
if (failed.length > 0) {
  console.error(`The gate failed: ${failed.join(', ')}.`)
  process.exitCode = 1
}
