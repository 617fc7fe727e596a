import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll } from 'vitest'
import { newId } from '../../src/core/ids.ts'

/** The folder of compiled scripts. It is below node_modules, so that a script finds its packages. */
const cache = fileURLToPath(new URL('../../../node_modules/.cache/coffer/', import.meta.url))

/**
 * Compiles a script into one that Node 20 can run, once for the test file.
 * @param entry the script's TypeScript file
 * @returns the path of the compiled script
 */
export function useChildScript(entry: URL): string {
  const outDir = join(cache, `child-${newId()}`)
  beforeAll(async () => {
    const output = { entryFileNames: 'child.mjs' }
    const options = { ssr: fileURLToPath(entry), outDir, rollupOptions: { output } }
    await build({ configFile: false, logLevel: 'error', build: options })
  })
  afterAll(() => rm(outDir, { recursive: true, force: true }))
  return join(outDir, 'child.mjs')
}
