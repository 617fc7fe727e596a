import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The file that a program's bare name stands for; undefined where none on the PATH can be run. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(canBeRun)
}

function canBeRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
