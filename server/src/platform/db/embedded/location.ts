/**
 * Decides where the cluster is stored and which user runs its server. Usually the cluster is in
 * <DATA_DIR>/postgres and the server runs as our own user. PostgreSQL refuses to run as root, so a Coffer
 * that runs as root starts the server as the user "nobody". If "nobody" cannot enter DATA_DIR (for example
 * below /root), the cluster is stored in a folder of /var/lib/coffer. A pointer file in DATA_DIR names that
 * folder.
 */
import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists, syncFolder } from '../../../core/durable-file.ts'
import { EmbeddedServerError, externalRemedy } from './embedded-error.ts'
import { canEnter, type RunAs } from './folders.ts'

export interface ServerLocation {
  /** Contains the cluster, and a copy of the binaries if one is needed. */
  readonly folder: string
  readonly cluster: string
  readonly runAs: RunAs | undefined
}

const nobodyUser: RunAs = { uid: 65534, gid: 65534 }
const pointerName = 'postgres-location'

/** @throws EmbeddedServerError, with the remedy, if no location works */
export async function chooseLocation(dataDir: string, sharedDir: string): Promise<ServerLocation> {
  const pointed = await readPointer(dataDir)
  if (pointed !== undefined) return pointedLocation(dataDir, pointed)
  const cluster = join(dataDir, 'postgres')
  const runAs = await runAsFor(cluster)
  if (runAs === undefined || (await canEnter(dataDir, runAs))) return { folder: dataDir, cluster, runAs }
  if (await hasCluster(cluster)) {
    throw new EmbeddedServerError(
      `The database in ${cluster} runs as user id ${runAs.uid}, which has no access to ${dataDir}: ` +
        `grant it (chmod o+x on that folder and its parents), or ${externalRemedy}`,
    )
  }
  return sharedLocation(dataDir, sharedDir)
}

/**
 * Returns true if a cluster was ever created for this DATA_DIR, either in the folder itself or where its
 * pointer file says.
 */
export async function hasEmbedded(dataDir: string): Promise<boolean> {
  return (await readPointer(dataDir)) !== undefined || hasCluster(join(dataDir, 'postgres'))
}

/**
 * Writes the folder of the cluster to the pointer file in DATA_DIR, so that later starts find the cluster
 * there. Writes nothing if the cluster is in DATA_DIR itself.
 */
export async function recordLocation(dataDir: string, { folder }: ServerLocation): Promise<void> {
  if (folder === dataDir || (await readPointer(dataDir)) === folder) return
  await writeFile(join(dataDir, pointerName), `${folder}\n`, { flush: true })
  await syncFolder(dataDir)
}

export async function hasCluster(cluster: string): Promise<boolean> {
  return exists(join(cluster, 'PG_VERSION'))
}

async function readPointer(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, pointerName), 'utf8').catch(() => '')
  return text.trim() === '' ? undefined : text.trim()
}

async function pointedLocation(dataDir: string, folder: string): Promise<ServerLocation> {
  const cluster = join(folder, 'postgres')
  if (await hasCluster(cluster)) return { folder, cluster, runAs: await runAsFor(cluster) }
  throw new EmbeddedServerError(
    `${join(dataDir, pointerName)} says that the database is in ${cluster}, but that folder has none: ` +
      'put it back, or restore a backup into another DATA_DIR',
  )
}

/**
 * Returns the user that must run the server; undefined if this is the user of this process. Only the owner of
 * an existing cluster can run its server.
 */
async function runAsFor(cluster: string): Promise<RunAs | undefined> {
  const uid = process.getuid?.()
  const owner = (await hasCluster(cluster)) ? await stat(cluster) : undefined
  if (uid !== 0) {
    if (owner === undefined || owner.uid === uid) return undefined
    throw new EmbeddedServerError(
      `The database in ${cluster} belongs to user id ${owner.uid}: start Coffer as that user or as root`,
    )
  }
  if (process.platform === 'darwin') {
    throw new EmbeddedServerError(
      `Start Coffer as an ordinary user on macOS, not as root, or ${externalRemedy}`,
    )
  }
  return owner === undefined ? nobodyUser : { uid: owner.uid, gid: owner.gid }
}

async function sharedLocation(dataDir: string, sharedDir: string): Promise<ServerLocation> {
  const name = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 16)
  const folder = await unclaimedFolder(join(sharedDir, name))
  const problem = await makeOpenFolders([sharedDir, folder])
  if (problem !== undefined || !(await canEnter(folder, nobodyUser))) {
    throw new EmbeddedServerError(
      `PostgreSQL does not run as root, the user "nobody" has no access to ${dataDir}, and ${folder} ` +
        `cannot be used instead (${problem ?? '"nobody" has no access to it either'}): start Coffer as an ordinary ` +
        `user, use a DATA_DIR that other users can access (such as /srv/coffer), or ${externalRemedy}`,
    )
  }
  return { folder, cluster: join(folder, 'postgres'), runAs: nobodyUser }
}

/**
 * Returns the first of `folder`, `folder-2`, `folder-3` and so on that contains no cluster. A cluster may be
 * left there by a DATA_DIR that was deleted, and must stay unchanged.
 */
async function unclaimedFolder(folder: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? folder : `${folder}-${number}`
    if (!(await hasCluster(join(candidate, 'postgres')))) return candidate
  }
}

/**
 * Creates folders that every user can enter; returns the message of an error. Modes are set after creation,
 * because the umask would remove the permissions of other users.
 */
async function makeOpenFolders(folders: readonly string[]): Promise<string | undefined> {
  try {
    for (const folder of folders) {
      if (await exists(folder)) continue
      await mkdir(folder, { recursive: true })
      await chmod(folder, 0o755)
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
