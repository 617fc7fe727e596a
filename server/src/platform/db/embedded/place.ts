/**
 * Where the cluster lives and as whom its server runs. Usually that is <DATA_DIR>/postgres and ourselves. PostgreSQL
 * refuses to run as root, so root starts it as "nobody"; where nobody cannot enter DATA_DIR (say, below /root) the
 * cluster lives in a folder of /var/lib/coffer, and a pointer file in DATA_DIR says so.
 */
import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists, syncFolder } from '../../../core/durable-file.ts'
import { EmbeddedServerError, externalRemedy } from './embedded-error.ts'
import { canEnter, type RunAs } from './folders.ts'

export interface ServerPlace {
  /** Holds the cluster, and a copy of the binaries where one is needed. */
  readonly folder: string
  readonly cluster: string
  readonly runAs: RunAs | undefined
}

const nobody: RunAs = { uid: 65534, gid: 65534 }
const pointerName = 'postgres-location'

/** @throws EmbeddedServerError, with the remedy, where no place works. */
export async function choosePlace(dataDir: string, sharedDir: string): Promise<ServerPlace> {
  const pointed = await readPointer(dataDir)
  if (pointed !== undefined) return pointedPlace(dataDir, pointed)
  const cluster = join(dataDir, 'postgres')
  const runAs = await runAsFor(cluster)
  if (runAs === undefined || (await canEnter(dataDir, runAs))) return { folder: dataDir, cluster, runAs }
  if (await hasCluster(cluster)) {
    throw new EmbeddedServerError(
      `The database in ${cluster} runs as user id ${runAs.uid}, which may not enter ${dataDir}: ` +
        `allow it (chmod o+x on that folder and those above it), or ${externalRemedy}`,
    )
  }
  return sharedPlace(dataDir, sharedDir)
}

/** Whether a cluster was ever made for this folder, in it or where its pointer says. */
export async function hasEmbedded(dataDir: string): Promise<boolean> {
  return (await readPointer(dataDir)) !== undefined || hasCluster(join(dataDir, 'postgres'))
}

/** Notes in DATA_DIR where the cluster is, once it exists, so that it is never looked for elsewhere. */
export async function recordPlace(dataDir: string, { folder }: ServerPlace): Promise<void> {
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

async function pointedPlace(dataDir: string, folder: string): Promise<ServerPlace> {
  const cluster = join(folder, 'postgres')
  if (await hasCluster(cluster)) return { folder, cluster, runAs: await runAsFor(cluster) }
  throw new EmbeddedServerError(
    `${join(dataDir, pointerName)} says that the database is in ${cluster}, but none is there: ` +
      'put it back, or restore a backup into another DATA_DIR',
  )
}

/** Undefined when the server runs as ourselves. An existing cluster can only be served by the user who owns it. */
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
  return owner === undefined ? nobody : { uid: owner.uid, gid: owner.gid }
}

async function sharedPlace(dataDir: string, sharedDir: string): Promise<ServerPlace> {
  const name = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 16)
  const folder = await unclaimedFolder(join(sharedDir, name))
  const problem = await makeOpenFolders([sharedDir, folder])
  if (problem !== undefined || !(await canEnter(folder, nobody))) {
    throw new EmbeddedServerError(
      `PostgreSQL does not run as root, the user "nobody" may not enter ${dataDir}, and ${folder} ` +
        `cannot be used instead (${problem ?? 'nobody may not enter it either'}): start Coffer as an ordinary ` +
        `user, use a DATA_DIR that others may enter (such as /srv/coffer), or ${externalRemedy}`,
    )
  }
  return { folder, cluster: join(folder, 'postgres'), runAs: nobody }
}

/** A cluster that no DATA_DIR points to any more, as after deleting one for a new start, is left alone. */
async function unclaimedFolder(folder: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? folder : `${folder}-${number}`
    if (!(await hasCluster(join(candidate, 'postgres')))) return candidate
  }
}

/** Modes are set apart from making: the umask would take the others' bits away again. */
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
