/** Runs initdb so that a kill at any moment leaves either no cluster or a complete one. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../../../core/durable-file.ts'
import type { Secret } from '../../../core/settings.ts'
import { EmbeddedServerError, externalRemedy } from './embedded-error.ts'
import { hasCluster, type ServerLocation } from './location.ts'

const serverMajor = '18'

/**
 * Creates the cluster of `location` unless it exists. initdb works in a draft folder, which is renamed only
 * when the cluster is complete. Draft folders of killed runs are removed.
 */
export async function initialiseCluster(
  location: ServerLocation,
  native: string,
  password: Secret,
): Promise<void> {
  await removeDrafts(location.cluster)
  if (await hasCluster(location.cluster)) return refuseOtherMajor(location.cluster)
  // Every draft has a new name, because an initdb that outlives its Coffer deletes its draft by name.
  const draft = `${location.cluster}.new-${randomBytes(6).toString('hex')}`
  await mkdir(draft, { mode: 0o700 })
  if (location.runAs !== undefined) await chown(draft, location.runAs.uid, location.runAs.gid)
  await runInitdb(join(native, 'bin', 'initdb'), draft, location, password)
  await rename(draft, location.cluster)
  await syncFolder(location.folder)
}

async function refuseOtherMajor(cluster: string): Promise<void> {
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  if (version === serverMajor) return
  throw new EmbeddedServerError(
    `The database in ${cluster} was created by PostgreSQL ${version}, but this version of Coffer includes ${serverMajor}: take a backup ` +
      'with the version of Coffer that created it and restore it into another DATA_DIR',
  )
}

async function removeDrafts(cluster: string): Promise<void> {
  const folder = dirname(cluster)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(cluster)}.new`)) continue
    // Errors are ignored, because an initdb that outlived its Coffer may still write to the draft. The next
    // start tries again to remove the draft.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}

async function runInitdb(
  initdb: string,
  folder: string,
  { runAs, folder: home }: ServerLocation,
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
    // The built-in locale C.UTF-8 sorts text in the same order on every host. Its order does not depend on the
    // versions of the C library and of ICU.
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
        `The database could not be created. initdb says: ${problem}\nFix the cause, or ${externalRemedy}.`,
      )
    }
  } finally {
    await passwordFile.close()
  }
}

/**
 * Opens a file with `content` and removes its name. No other process can find the file, and it disappears
 * when this process ends in any way.
 */
async function openNamelessFile(
  folder: string,
  content: Secret,
  runAs: ServerLocation['runAs'],
): Promise<FileHandle> {
  const path = join(folder, `.nameless-${randomBytes(6).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  if (runAs !== undefined) await file.chown(runAs.uid, runAs.gid)
  // Writes at position 0 without moving the offset of the file, so that initdb reads from the start.
  await file.write(`${content.reveal()}\n`, 0)
  return file
}
