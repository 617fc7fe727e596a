import { readFile } from 'node:fs/promises'
import solc from 'solc'
import { expect, it } from 'vitest'

const folder = new URL('../../src/chains/evm/', import.meta.url)
const settings = {
  optimizer: { enabled: true, runs: 200 },
  // Of the first chains that could delegate; nothing about the sources is put behind the code.
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
}

it('keeps the code of the sweep contract as its source compiles; vitest -u writes it anew', async () => {
  const content = await readFile(new URL('contracts/SweepDelegate.sol', folder), 'utf8')
  const question = { language: 'Solidity', sources: { 'SweepDelegate.sol': { content } }, settings }
  const answer = JSON.parse(solc.compile(JSON.stringify(question)))
  expect(answer.errors).toBeUndefined()
  const code = answer.contracts['SweepDelegate.sol'].SweepDelegate.evm.bytecode.object
  const { pathname } = new URL('sweep-code.ts', folder)
  await expect(fileOf(code)).toMatchFileSnapshot(pathname)
})

function fileOf(code: string): string {
  return [
    '/** What `contracts/SweepDelegate.sol` compiles to, in hex with prefix; sweep-code.test.ts holds it to that. */',
    'export const sweepCode =',
    `  '0x${code}'`,
    '',
  ].join('\n')
}
