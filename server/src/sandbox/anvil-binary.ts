import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * Returns the path of the anvil binary in the npm package for this platform. If there is no such package,
 * returns the bare name `anvil`, which the system looks up on the PATH.
 */
export function findAnvil(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`
  try {
    const folder = path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    const file = path.join(folder, 'bin', 'anvil')
    return existsSync(file) ? file : 'anvil'
  } catch {
    return 'anvil'
  }
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Returns the error for the case that anvil cannot be run. Its message says what the user can do. */
export function anvilMissing(cause: unknown): Error {
  const remedy =
    "Install Foundry (https://getfoundry.sh) so that 'anvil' is on the PATH, or set EVM_RPC_ETHEREUM to the URL of " +
    'a development node that is already running.'
  const platform = `${process.platform}-${process.arch}`
  return new Error(`The sandbox could not run the development node anvil on ${platform}. ${remedy}`, {
    cause,
  })
}
