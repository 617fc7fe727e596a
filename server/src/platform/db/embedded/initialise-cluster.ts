/** initdb, such that a kill at any moment leaves either no cluster or a whole one. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../../../core/durable-file.ts'
import type { Secret } from '../../../core/settings.ts'
import { EmbeddedServerError, externalRemedy } from './embedded-error.ts'
import { hasCluster, type ServerPlace } from './place.ts'

const serverMajor = '18'

/**
 * Makes the cluster of `place` unless it is there. initdb works in a folder of its own, which gets the cluster's name
 * only when it is complete; what a killed initdb left behind is removed.
 */
export async function initialiseCluster(place: ServerPlace, native: string, password: Secret): Promise<void> {
  await removeDrafts(place.cluster)
  if (await hasCluster(place.cluster)) return refuseOtherMajor(place.cluster)
  // Its own name each time: an initdb that outlived its Coffer cleans up after itself, by name.
  const draft = `${place.cluster}.new-${randomBytes(6).toString('hex')}`
  await mkdir(draft, { mode: 0o700 })
  if (place.runAs !== undefined) await chown(draft, place.runAs.uid, place.runAs.gid)
  await runInitdb(join(native, 'bin', 'initdb'), draft, place, password)
  await rename(draft, place.cluster)
  await syncFolder(place.folder)
}

async function refuseOtherMajor(cluster: string): Promise<void> {
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  if (version === serverMajor) return
  throw new EmbeddedServerError(
    `The database in ${cluster} was made by PostgreSQL ${version}, this Coffer brings ${serverMajor}: take a backup ` +
      'with the Coffer that made it and restore it into another DATA_DIR',
  )
}

async function removeDrafts(cluster: string): Promise<void> {
  const folder = dirname(cluster)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(cluster)}.new`)) continue
    // An initdb that outlived its Coffer may still write there; then it is removed at a later start.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}

async function runInitdb(
  initdb: string,
  folder: string,
  { runAs, folder: home }: ServerPlace,
  password: Secret,
): Promise<void> {
  const passwordFile = await openNamelessFile(home, password, runAs)
  try {
    const args = [
      '-D',
      folder,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      '--pwfile',
      '/dev/stdin',
      '-E',
      'UTF8',
      '-k',
    ]
    // The built-in C.UTF-8 sorts the same on every machine, whatever its C library or ICU.
    args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C')
    const child = spawn(initdb, args, {
      ...runAs,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: [passwordFile.fd, 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (output += String(chunk)))
    const problem = await new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', (code) =>
        resolve(code === 0 ? undefined : output.trim().split('\n').slice(-8).join('\n')),
      )
    })
    if (problem !== undefined) {
      throw new EmbeddedServerError(
        `The database could not be created. initdb says: ${problem}\nRemove that cause, or ${externalRemedy}.`,
      )
    }
  } finally {
    await passwordFile.close()
  }
}

/** A file without a name: no other process can find it, and it is gone however we end. */
async function openNamelessFile(
  folder: string,
  content: Secret,
  runAs: ServerPlace['runAs'],
): Promise<FileHandle> {
  const path = join(folder, `.nameless-${randomBytes(6).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  if (runAs !== undefined) await file.chown(runAs.uid, runAs.gid)
  // Written at a position, which leaves the file's own offset at the start for the reader.
  await file.write(`${content.reveal()}\n`, 0)
  return file
}
