/**
 * A short run of the simulation. Its seeds are always the same. `npm run simulate` runs it for longer with
 * other seeds, and a seed that found a fault is added here.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../simulation/run.js', import.meta.url))
const first = 1
const seeds = 12

it(`finds nothing in seeds ${first} to ${seeds}, and repeats the trace of each tenth`, {
  timeout: 600_000,
}, async () => {
  const words = [program, '--seeds', String(seeds), '--from', String(first), '--json']
  const done = await run(process.execPath, words).catch((error: { stdout: string; stderr: string }) => error)
  const { failing, found, reached } = JSON.parse(done.stdout)
  expect(
    found.flatMap(({ findings, story }: { findings: string[]; story: string[] }) => [...findings, ...story]),
  ).toEqual([])
  expect(failing).toBe(0)
  // A run in which nothing is paid or withdrawn would find nothing either.
  for (const state of ['withdrawal completed', 'invoice paid', 'outgoing sweep final', 'delivery delivered'])
    expect(reached.states[state], state).toBeGreaterThan(0)
  expect(reached.permuted).toBeGreaterThan(0)
})
