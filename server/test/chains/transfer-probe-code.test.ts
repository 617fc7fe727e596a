import { expect, it } from 'vitest'
import { transferProbeCode } from '../../src/chains/evm/probe/transfer-probe-code.ts'
import { compileContract } from '../support/compile-contract.ts'

it('the code that tries transfers equals its compiled source', async () => {
  const source = new URL('../../src/chains/evm/contracts/TransferProbe.sol', import.meta.url)
  const { bytecode } = await compileContract(source)
  expect(bytecode.endsWith(transferProbeCode.slice(2))).toBe(true)
})
