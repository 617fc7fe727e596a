/**
 * `npm run nightly [-- <part> ...]` runs what takes too long for every change: all parts, or those that are
 * named. Each part ends with its result and its duration, which are printed again at the end. docs/nightly.md
 * has the last results.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const require = createRequire(import.meta.url)
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs')
const simulate = join(root, 'server/simulation/run.js')
const bench = join(root, 'server/bench/run.js')

/** Each part is a list of programs with their arguments. vitest.config.ts says which files a project has. */
const parts = {
  killed: [[vitest, 'run', '--project', 'nightly-killed']],
  restored: [[vitest, 'run', '--project', 'nightly-restored']],
  sandbox: [[vitest, 'run', '--project', 'nightly-sandbox']],
  recipes: [[vitest, 'run', '--project', 'nightly-recipes']],
  scale: [[vitest, 'run', '--project', 'nightly-scale']],
  failover: [[vitest, 'run', '--project', 'nightly-failover']],
  packages: [[vitest, 'run', '--project', 'nightly-packages']],
  processes: [[vitest, 'run', '--project', 'nightly-processes']],
  browser: [[vitest, 'run', '--project', 'nightly-browser']],
  simulation: [[simulate, '--seeds', '2000']],
  bench: ['api', 'outgoing', 'sweeps', 'transactions', 'verify', 'watcher', 'webhooks'].map((name) =>
    name === 'verify' ? [bench, name, '--scale', '0.1'] : [bench, name],
  ),
}

function usage() {
  return `usage: npm run nightly -- [part ...]\nparts: ${Object.keys(parts).join(', ')}; all of them if none is named`
}

function run(words) {
  return new Promise((resolve) => {
    spawn(process.execPath, words, { cwd: root, stdio: 'inherit' }).on('close', (code) => resolve(code === 0))
  })
}

/** Runs every program of a part, also after one failed. Prints and returns the result. */
async function runPart(name) {
  const startedAt = performance.now()
  let passed = true
  for (const words of parts[name]) passed = (await run(words)) && passed
  const tookS = Math.round((performance.now() - startedAt) / 1000)
  const line = `${passed ? 'passed' : 'FAILED'}: ${name} (${tookS} s)`
  console.log(line)
  return { passed, line }
}

async function main(names) {
  if (names.includes('--help')) {
    console.log(usage())
    return 0
  }
  const unknown = names.filter((name) => !Object.hasOwn(parts, name))
  if (unknown.length > 0) {
    console.error(`There is no part "${unknown.join('", "')}".\n${usage()}`)
    return 2
  }
  const results = []
  for (const name of names.length > 0 ? names : Object.keys(parts)) {
    console.log(`\n=== ${name}`)
    results.push(await runPart(name))
  }
  for (const { line } of results) console.log(line)
  return results.every(({ passed }) => passed) ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
