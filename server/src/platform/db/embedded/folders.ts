import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * The user and group for PostgreSQL if Coffer itself runs as root, because PostgreSQL refuses to run as root.
 */
export interface RunAs {
  readonly uid: number
  readonly gid: number
}

/** Returns true if the user may enter `folder` and every folder above it. */
export async function canEnter(folder: string, { uid, gid }: RunAs): Promise<boolean> {
  let at = await realpath(folder)
  for (;;) {
    const { mode, uid: owner, gid: group } = await stat(at)
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (at === dirname(at)) return true
    at = dirname(at)
  }
}
