import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { repositoryRoot } from './coffer-process.ts'

/**
 * Decides whether another user can run this repository. No folder above it may be closed to others, and
 * `setpriv` must exist.
 */
export function isReadableByOthers(): boolean {
  try {
    accessSync('/usr/bin/setpriv', constants.X_OK)
  } catch {
    return false
  }
  return foldersAbove(repositoryRoot).every((folder) => (statSync(folder).mode & 0o001) !== 0)
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...foldersAbove(above)]
}
