/**
 * Compiles server/src into server/dist and web/src into web/dist when they are out of date. Run by itself, it
 * does only that (`npm run build`). A dist is replaced as a whole, by renaming a finished build. Of several
 * starts at once, one builds and the others wait.
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
export const tsc = join(dirname(require.resolve('typescript-native/package.json')), 'bin/tsc')

/** Types are checked by `npm run check`; here they would take several times as long as the build. */
const serverPart = {
  root: server,
  notice: 'Building Coffer (first start only)...\n',
  inputs: () => ['tsconfig.json', 'tsconfig.build.json', 'package.json', ...sourcesBelow(server, 'src')],
  command: (folder) => [tsc, '-p', join(server, 'tsconfig.build.json'), '--outDir', folder, '--noCheck'],
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
 * Far above the time of any build. After that the process with the lock is gone, even if another one has its
 * process id.
 */
const lockAgeMaxMs = 60_000

/**
 * Resolves once server/dist holds the compiled form of src. Ends the process, with a remedy, when it cannot
 * be built.
 */
export async function ensureBuilt() {
  await ensure(serverPart)
}

/** Does the same for the pages. A server that is installed without web/ has no pages. */
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
 * Returns a digest of the sources' contents. Times would not do, because copying, unpacking and switching
 * branches change them. Reading a few hundred files takes about as long as asking for their times.
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
 * Whether the process that took the lock is gone. In a container its successor often has the same id. A lock
 * that is still empty is just being written.
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
  if (isCurrent(part)) return // built meanwhile by a process that believed this one to be dead
  const dist = join(part.root, 'dist')
  if (existsSync(dist)) renameSync(dist, `${dist}.${process.pid}.old`)
  renameSync(fresh, dist)
}

/** Removes the folders of builds that ended before their rename, and of this process. */
function removeLeftovers(root) {
  for (const name of readdirSync(root)) {
    const pid = Number(/^dist\.(\d+)\.(?:new|old)$/.exec(name)?.[1])
    if (pid === process.pid || (pid > 0 && !isAlive(pid))) tryRemove(join(root, name))
  }
}

/**
 * Removes a folder if possible. A compiler may survive a killed build and go on writing; the next build
 * removes what stays.
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
    // Without it, a build during tests would contain the development form of libraries.
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
 * Passes signals to the compiler: a signal during the build ends the compiler first, then this process in its
 * usual way.
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
  return error.message
}

const started = process.argv[1]
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  await ensureBuilt()
  await ensurePagesBuilt()
}
