import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import type { Abi } from 'viem'

const settingsFor = (evmVersion: string) => ({
  optimizer: { enabled: true, runs: 200 },
  evmVersion,
  // No hash of the sources is appended to the code.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
})

interface Compiled {
  readonly abi: Abi
  readonly bytecode: `0x${string}`
}

/**
 * Compiles the one contract of a file. The contract has the name of the file.
 * @param evmVersion the version whose instructions the code may have. Every chain that can delegate (EIP-7702) runs
 * `cancun` or a later one
 * @throws Error with all messages of the compiler, warnings included
 */
export async function compileContract(source: URL, evmVersion = 'cancun'): Promise<Compiled> {
  const settings = settingsFor(evmVersion)
  const file = path.basename(fileURLToPath(source))
  const sources = { [file]: { content: await readFile(source, 'utf8') } }
  const answer = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  const said: readonly { readonly formattedMessage: string }[] = (answer.errors ?? []).filter(isUnexpected)
  if (said.length > 0) throw new Error(said.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const { abi, evm } = answer.contracts[file][path.parse(file).name]
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}

/** Old versions of the EVM are wanted by tests of old chains. */
function isUnexpected({ formattedMessage }: { readonly formattedMessage: string }): boolean {
  return !/^(Warning: )?Support for EVM versions older than \w+ is deprecated/.test(formattedMessage)
}
