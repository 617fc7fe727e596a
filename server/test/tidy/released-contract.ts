/** Reads the contract of the last release from git. */
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import type { OpenApiDocument } from '../../src/platform/http/openapi/openapi.ts'

export interface ReleasedContract {
  readonly tag: string
  readonly contract: OpenApiDocument
}

/**
 * Returns the contract at the tag `v*` with the highest version, or undefined if there is no such tag or no
 * git.
 */
export function findReleasedContract(root: string): ReleasedContract | undefined {
  const tag = run(root, ['tag', '--list', 'v[0-9]*', '--sort=-version:refname'])?.split('\n')[0]
  if (tag === undefined || tag === '') return undefined
  const text = run(root, ['show', `${tag}:contract/openapi.json`])
  if (text === undefined) throw new Error(`${tag} has no contract/openapi.json`)
  return { tag, contract: JSON.parse(text) }
}

/**
 * Runs git, and returns undefined if it fails. Sources that were unpacked from an archive have no history.
 */
function run(root: string, args: readonly string[]): string | undefined {
  try {
    // Leaves out GIT_DIR, which a hook sets. A folder without a repository must not find the repository of a
    // parent folder.
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      GIT_CEILING_DIRECTORIES: dirname(root),
    }
    return execFileSync('git', args, {
      cwd: root,
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return undefined
  }
}
