/**
 * Compiles src into dist. As a script, which `npm pack` runs, it always compiles. `ensureBuilt` compiles only if src
 * is newer than dist.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sdk = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(sdk, 'dist')

/** Compiles without type checks, because these take much longer. `npm run check` checks the types. */
export function ensureBuilt() {
  const builtAt = existsSync(dist) ? statSync(dist).mtimeMs : 0
  const sources = ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'src', ...sourcesBelow('src')]
  if (sources.some((path) => statSync(join(sdk, path)).mtimeMs > builtAt)) build(['--noCheck'])
}

function sourcesBelow(folder) {
  return readdirSync(join(sdk, folder), { recursive: true }).map((path) => `${folder}/${path}`)
}

/** Compiles into a new folder that replaces dist, so that dist has no file of an earlier build. */
function build(options) {
  const startedAt = new Date()
  const fresh = `${dist}.${process.pid}.new`
  const compiler = dirname(createRequire(import.meta.url).resolve('typescript-native/package.json'))
  const tsc = join(compiler, 'bin/tsc')
  const words = [tsc, '-p', join(sdk, 'tsconfig.build.json'), '--outDir', fresh, ...options]
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(`The SDK does not compile:\n${stdout}`)
  }
  // A file that is edited during the build must count as newer than dist.
  utimesSync(fresh, startedAt, startedAt)
  rmSync(dist, { recursive: true, force: true })
  renameSync(fresh, dist)
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  build([])
