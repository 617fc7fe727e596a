/**
 * Compiles server/src into server/dist when it has to. Run by itself, it does the same and nothing more (`npm run build`).
 * dist is replaced as a whole, by renaming a finished build; of several starts at once, one builds and the others wait.
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
const dist = join(server, 'dist')
const stamp = join(dist, 'built-from.txt')
const lock = join(server, 'dist.lock')

const lockPollMs = 50
/** Far above any build: whoever holds the lock longer is gone, though something else may have its process id. */
const lockAgeMaxMs = 60_000

/** Resolves once dist holds the compiled form of src. Ends the process, with a remedy, when that cannot be. */
export async function ensureBuilt() {
  try {
    if (isCurrent()) return
    await takeLock()
    try {
      if (!isCurrent()) await build()
    } finally {
      rmSync(lock, { force: true })
    }
  } catch (error) {
    process.stderr.write(`${remedy(error)}\n`)
    process.exit(1)
  }
}

function isCurrent() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOfSources()
}

/**
 * By content and not by time, since copying, unpacking and switching branches all change times. Reading a few hundred
 * files takes about as long as asking for their times.
 */
function digestOfSources() {
  const hash = createHash('sha256')
  for (const path of ['tsconfig.json', 'tsconfig.build.json', 'package.json', ...sourcesBelow('src')])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(server, path)))
      .update('\0')
  return hash.digest('hex')
}

function sourcesBelow(folder) {
  return readdirSync(join(server, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return sourcesBelow(path)
      return /(?<!\.test)\.ts$|\.json$/.test(entry.name) ? [path] : []
    })
}

async function takeLock() {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned()) rmSync(lock, { force: true })
    else await sleep(lockPollMs)
  }
}

/**
 * Whether the process that took the lock is gone; in a container its successor often has the same id. A lock still empty
 * is being written.
 */
function isAbandoned() {
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

async function build() {
  process.stderr.write('Building Coffer (first start only)...\n')
  removeLeftovers()
  const fresh = `${dist}.${process.pid}.new`
  const digest = digestOfSources()
  await compile(fresh)
  writeFileSync(join(fresh, 'built-from.txt'), digest)
  replaceDist(fresh)
  removeLeftovers()
}

function replaceDist(fresh) {
  if (isCurrent()) return // built meanwhile by one that took this process for dead
  if (existsSync(dist)) renameSync(dist, `${dist}.${process.pid}.old`)
  renameSync(fresh, dist)
}

/** Folders of builds that ended before their rename, and of this process. */
function removeLeftovers() {
  for (const name of readdirSync(server)) {
    const pid = Number(/^dist\.(\d+)\.(?:new|old)$/.exec(name)?.[1])
    if (pid === process.pid || (pid > 0 && !isAlive(pid))) rmSync(join(server, name), { recursive: true })
  }
}

/** Compiles without checking types, which is the gate's work (`npm run check`) and takes several times as long. */
async function compile(folder) {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const options = ['-p', join(server, 'tsconfig.build.json'), '--outDir', folder, '--noCheck']
  const child = spawn(process.execPath, [tsc, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const release = passSignalsTo(child)
  mkdirSync(folder)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  release()
  if (code !== 0) throw new Error(`The build failed:\n${output.trim()}`)
}

/** A signal during the build ends the compiler first, then this process the way it would have ended it. */
function passSignalsTo(child) {
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

function remedy(error) {
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code))
    return `Coffer is not built and this user cannot write to ${server}. Run "npm run build" as the owner of that folder.`
  if (error.code === 'MODULE_NOT_FOUND')
    return `${error.message}\nRun "npm ci" in the folder of package.json.`
  return error.message
}

const started = process.argv[1]
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) await ensureBuilt()
