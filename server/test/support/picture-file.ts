/** Decides where pictures of the pages are written. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repositoryRoot } from './coffer-process.ts'

/**
 * Returns the path of a picture's file. A picture that a document shows is in the repository and is replaced
 * there. Every other picture goes to `screenshots/`, which git ignores.
 * @param name the path below one of the two folders, such as `dashboard/overview-390-dark.png`
 */
export function pictureFile(name: string): string {
  const kept = join(repositoryRoot, 'docs/screenshots', name)
  const path = existsSync(kept) ? kept : join(repositoryRoot, 'screenshots', name)
  mkdirSync(dirname(path), { recursive: true })
  return path
}
