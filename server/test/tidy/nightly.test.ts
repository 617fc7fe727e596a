/** Checks that each part of `npm run nightly` has a row in docs/nightly.md, and runs each project of vitest.config.ts. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = 'server/bin/nightly.js'

async function readParts(): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--help'], { cwd: root })
  return /^parts: ([^;]+);/m.exec(stdout)?.[1]?.split(', ') ?? []
}

it('each part has its row in docs/nightly.md', async () => {
  const [what = ''] = (await readFile(`${root}/docs/nightly.md`, 'utf8')).split('## Last results')
  const rows = [...what.matchAll(/^\| `(\w+)` \|/gm)].map(([, part]) => part)
  expect(rows).toEqual(await readParts())
})

it('each project of nightly tests belongs to a part, which runs it', async () => {
  const config = await readFile(`${root}/vitest.config.ts`, 'utf8')
  const [, list = ''] = /const nightly = \{(.+?)\n\}/s.exec(config) ?? []
  const projects = [...list.matchAll(/^ {2}(\w+): \[/gm)].map(([, part]) => `nightly-${part}`)
  const source = await readFile(`${root}/${program}`, 'utf8')
  const run = [...source.matchAll(/'--project', '(nightly-\w+)'/g)].map(([, project]) => project)
  expect(projects).toEqual(run)
})
