import { expect, it } from 'vitest'
import { transferProbeCode } from '../../src/chains/evm/probe/transfer-probe-code.ts'
import { compileContract } from '../support/compile-contract.ts'

it('the code that tries transfers equals its compiled source', async () => {
  const source = new URL('../../src/chains/evm/contracts/TransferProbe.sol', import.meta.url)
  // Networks without base fees run old versions of the EVM. None of its newer instructions may be in the code.
  const { bytecode } = await compileContract(source, 'london')
  expect(bytecode.endsWith(transferProbeCode.slice(2))).toBe(true)
})
