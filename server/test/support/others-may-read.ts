import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { repositoryRoot } from './coffer-process.ts'

/** A repository below a folder that is closed to others cannot be run by them. */
export function othersMayRead(): boolean {
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
