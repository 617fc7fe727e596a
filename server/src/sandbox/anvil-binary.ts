import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** Where anvil is: the package made for this platform, else the first `anvil` on the PATH. */
export function findAnvil(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const found = packagedAnvil() ?? anvilOnPath(environment['PATH'] ?? '')
  if (found !== undefined) return found
  throw new Error(
    `The sandbox needs the development node anvil, and there is none for ${process.platform}-${process.arch}. ` +
      "Install Foundry (https://getfoundry.sh) so that 'anvil' is on the PATH, or set EVM_RPC_ETHEREUM to the URL " +
      'of a development node that runs already.',
  )
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

function packagedAnvil(): string | undefined {
  const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`
  try {
    const folder = path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    const file = path.join(folder, 'bin', 'anvil')
    return existsSync(file) ? file : undefined
  } catch {
    return undefined
  }
}

function anvilOnPath(searchPath: string): string | undefined {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => path.join(folder, 'anvil')).find(existsSync)
}
