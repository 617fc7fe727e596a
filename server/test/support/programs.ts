import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Whether a program is on the PATH; a test that needs one that is not says so and is skipped. */
export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}
