/**
 * Compiles a program with plain settings against the types of the SDK's sources. `sdk-package` tests the
 * packed types.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { repositoryRoot } from '../support/coffer-process.ts'
import { compile, consumerCommon, consumerProgram } from '../support/sdk-consumer.ts'

it('accepts the input of every operation, and no other, under plain strict settings', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-types-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { source, operations } = consumerProgram(join(repositoryRoot, 'sdk/src/index.ts'))
  expect(operations).toBeGreaterThan(90)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'program.ts'), source)
  expect(
    await compile(folder, { ...consumerCommon, module: 'nodenext', allowImportingTsExtensions: true }),
  ).toBe('')
})
