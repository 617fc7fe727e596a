import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { diskFiles } from '../../src/core/durable-file.ts'
import { filesConformance } from './conformance.ts'

filesConformance('the disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return { files: diskFiles, folder, names: async () => (await readdir(folder)).sort() }
})
