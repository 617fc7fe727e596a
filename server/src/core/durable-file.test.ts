import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDurably } from './durable-file.ts'

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-durable-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

it('makes a file for its owner alone, and leaves no draft beside it', async () => {
  const folder = await freshFolder()
  await createDurably(join(folder, 'keys'), 'ours')
  expect(await readdir(folder)).toEqual(['keys'])
  expect((await stat(join(folder, 'keys'))).mode & 0o777).toBe(0o600)
})

it('leaves a file as it is that is there already', async () => {
  const folder = await freshFolder()
  await createDurably(join(folder, 'keys'), 'first')
  await createDurably(join(folder, 'keys'), 'second')
  expect(await readFile(join(folder, 'keys'), 'utf8')).toBe('first')
  expect(await readdir(folder)).toEqual(['keys'])
})

it('never replaces a file: of many makers at once one wins, and every reader sees the same', async () => {
  const path = join(await freshFolder(), 'keys')
  const seen = await Promise.all(
    Array.from({ length: 20 }, async (_, writer) => {
      await createDurably(path, `made by ${writer}`)
      return readFile(path, 'utf8')
    }),
  )
  expect(new Set(seen).size).toBe(1)
})
