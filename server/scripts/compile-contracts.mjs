/**
 * Compiles every Solidity source to `<Contract>.json` with { abi, bytecode } beside it. Run it after changing a
 * source: `node server/scripts/compile-contracts.mjs`. With `--check` it writes nothing and fails, naming the files
 * that a fresh compilation would change; a test runs that.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const serverFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const contractFolders = ['src/sandbox/contracts', 'test/support/contracts']

/**
 * Returns the text of every artifact by its absolute path.
 * @throws an error with the compiler's messages
 */
function compileContracts() {
  const solc = createRequire(import.meta.url)('solc')
  const sources = sourcePaths().map((file) => [file, { content: readFileSync(file, 'utf8') }])
  const settings = {
    // Without PUSH0 and later opcodes the code runs on every chain that has had the merge.
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    // The bytecode has no hash of the source at its end, so a changed comment does not change it.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  }
  const input = { language: 'Solidity', sources: Object.fromEntries(sources), settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const faults = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'))
  return new Map(sources.map(([file]) => artifactOf(file, output.contracts[file])))
}

function sourcePaths() {
  return contractFolders.flatMap((folder) => {
    const absolute = path.join(serverFolder, folder)
    const names = readdirSync(absolute).filter((name) => name.endsWith('.sol'))
    return names.sort().map((name) => path.join(absolute, name))
  })
}

/** Returns the artifact of a file: of the contract that has the file's name. */
function artifactOf(file, contracts) {
  const contract = contracts[path.basename(file, '.sol')]
  const artifact = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
  return [file.replace(/\.sol$/, '.json'), `${JSON.stringify(artifact, undefined, 2)}\n`]
}

function isCurrent(file, text) {
  return existsSync(file) && readFileSync(file, 'utf8') === text
}

const stale = [...compileContracts()].filter(([file, text]) => !isCurrent(file, text))
for (const [file] of stale) console.log(path.relative(serverFolder, file))
if (process.argv.includes('--check')) process.exitCode = stale.length > 0 ? 1 : 0
else for (const [file, text] of stale) writeFileSync(file, text)
