/**
 * Compiles server/src into server/dist and web/src into web/dist if they are out of date. `npm run build`
 * runs this file alone. A dist folder is replaced as a whole, by renaming a finished build. If several
 * processes start at once, one of them builds and the others wait.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const server = dirname(dirname(fileURLToPath(import.meta.url)))
const web = join(dirname(server), 'web')
const require = createRequire(import.meta.url)

/** The path of the compiler's program. */
export function tsc() {
  return join(dirname(require.resolve('typescript-native/package.json')), 'bin/tsc')
}

/** The build checks no types, because that takes several times as long. `npm run check` checks them. */
const serverPart = {
  root: server,
  notice: 'Building Coffer (first start only)...\n',
  inputs: () => ['tsconfig.json', 'tsconfig.build.json', 'package.json', ...sourcesBelow(server, 'src')],
  command: (folder) => [tsc(), '-p', join(server, 'tsconfig.build.json'), '--outDir', folder, '--noCheck'],
}

const webPart = {
  root: web,
  notice: 'Building the pages (first start only)...\n',
  inputs: () => [
    'package.json',
    'vite.config.ts',
    ...sourcesBelow(web, 'src'),
    ...sourcesBelow(web, 'build'),
    ...sourcesBelow(web, '../sdk/src'),
  ],
  command: (folder) => [
    join(dirname(createRequire(join(web, 'package.json')).resolve('vite/package.json')), 'bin/vite.js'),
    'build',
    '--config',
    join(web, 'vite.config.ts'),
    '--outDir',
    folder,
    '--logLevel',
    'error',
  ],
}

const lockPollMs = 50
/**
 * Maximum age of a lock in milliseconds, far above the time of any build. The process that took an older lock
 * has ended, even if another process now has its id.
 */
const lockAgeMaxMs = 60_000

/**
 * Resolves once server/dist holds the compiled form of src. If it cannot be built, prints what to do and ends
 * the process.
 */
export async function ensureBuilt() {
  await ensure(serverPart)
}

/** Does the same as `ensureBuilt` for the pages. Does nothing if the server is installed without web/. */
export async function ensurePagesBuilt() {
  if (existsSync(join(web, 'package.json'))) await ensure(webPart)
}

async function ensure(part) {
  try {
    if (isCurrent(part)) return
    await takeLock(lockOf(part))
    try {
      if (!isCurrent(part)) await build(part)
    } finally {
      rmSync(lockOf(part), { force: true })
    }
  } catch (error) {
    process.stderr.write(`${remedy(error, part)}\n`)
    process.exit(1)
  }
}

function isCurrent(part) {
  const stamp = join(part.root, 'dist', 'built-from.txt')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOfSources(part)
}

function lockOf({ root }) {
  return join(root, 'dist.lock')
}

/**
 * Returns a digest of the sources' contents. Modification times are not compared, because copying, unpacking
 * and switching branches change them. Reading a few hundred files takes about as long as reading their times.
 */
function digestOfSources({ root, inputs }) {
  const hash = createHash('sha256')
  for (const path of inputs())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

function sourcesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return sourcesBelow(root, path)
      return /(?<!\.test)\.tsx?$|\.(?:json|html|css|svg)$/.test(entry.name) ? [path] : []
    })
}

async function takeLock(lock) {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned(lock)) rmSync(lock, { force: true })
    else await sleep(lockPollMs)
  }
}

/**
 * Returns true if the process that took the lock has ended. A restarted container often gives the same id to
 * a new process, so a lock with this process's id is also abandoned. An empty lock is being written right
 * now.
 */
function isAbandoned(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    if (Date.now() - statSync(lock).mtimeMs > lockAgeMaxMs) return true
    return pid === process.pid || (pid > 0 && !isAlive(pid))
  } catch {
    return false
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

async function build(part) {
  process.stderr.write(part.notice)
  removeLeftovers(part.root)
  const fresh = join(part.root, `dist.${process.pid}.new`)
  const digest = digestOfSources(part)
  await compile(part, fresh)
  writeFileSync(join(fresh, 'built-from.txt'), digest)
  replaceDist(part, fresh)
  removeLeftovers(part.root)
}

function replaceDist(part, fresh) {
  if (isCurrent(part)) return // another process found this one dead and has built meanwhile
  const dist = join(part.root, 'dist')
  if (existsSync(dist)) renameSync(dist, `${dist}.${process.pid}.old`)
  renameSync(fresh, dist)
}

/** Removes the folders of this process's builds, and of builds whose process ended before it renamed them. */
function removeLeftovers(root) {
  for (const name of readdirSync(root)) {
    const pid = Number(/^dist\.(\d+)\.(?:new|old)$/.exec(name)?.[1])
    if (pid === process.pid || (pid > 0 && !isAlive(pid))) tryRemove(join(root, name))
  }
}

/**
 * Removes a folder if possible. The compiler of a killed build may still write into it; the next build then
 * removes what is left.
 */
function tryRemove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    if (error.code !== 'ENOTEMPTY') throw error
  }
}

async function compile(part, folder) {
  const child = spawn(process.execPath, part.command(folder), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without this variable, a build during tests would contain the development form of libraries.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const release = passSignalsTo(child, lockOf(part))
  mkdirSync(folder)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  release()
  if (code !== 0) throw new Error(`The build failed:\n${output.trim()}`)
}

/**
 * Passes signals to the compiler. A signal during the build ends the compiler first, and then ends this
 * process as it would without a handler.
 */
function passSignalsTo(child, lock) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  let received
  const pass = (signal) => {
    received = signal
    child.kill(signal)
  }
  for (const signal of signals) process.on(signal, pass)
  return () => {
    for (const signal of signals) process.off(signal, pass)
    if (received === undefined) return
    rmSync(lock, { force: true })
    process.kill(process.pid, received)
  }
}

function remedy(error, { root }) {
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code))
    return `Coffer is not built and this user cannot write to ${root}. Run "npm run build" as the owner of that folder.`
  if (error.code === 'MODULE_NOT_FOUND')
    return `${error.message}\nRun "npm ci" in the folder of package.json.`
  if (error.message.includes('Unable to resolve @typescript/'))
    return `${error.message}\nThe compiler of this platform is an optional package: run "npm ci" without --omit=optional.`
  return error.message
}

const started = process.argv[1]
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  await ensureBuilt()
  await ensurePagesBuilt()
}
