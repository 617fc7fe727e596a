import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { compileContract } from '../support/compile-contract.ts'

const folder = new URL('../../src/chains/evm/', import.meta.url)

it('the code of the sweep contract equals its compiled source; vitest --update writes it', async () => {
  const { bytecode } = await compileContract(new URL('contracts/SweepDelegate.sol', folder))
  await expect(fileOf(bytecode)).toMatchFileSnapshot(fileURLToPath(new URL('sweep-code.ts', folder)))
})

function fileOf(bytecode: string): string {
  return [
    '/**',
    ' * The compiled creation code of `contracts/SweepDelegate.sol`, in hex with prefix. sweep-code.test.ts',
    ' * verifies that the code matches the contract.',
    ' */',
    `export const sweepCode =\n  '${bytecode}'`,
    '',
  ].join('\n')
}
