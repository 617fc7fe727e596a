import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { compileContract } from '../support/compile-contract.ts'

const folder = new URL('../../src/sandbox/contracts/', import.meta.url)

it('the code of the fee oracle is that of its source', async () => {
  const { code } = await compileContract(new URL('GasPriceOracle.sol', folder))
  const stored = JSON.parse(await readFile(new URL('GasPriceOracle.json', folder), 'utf8'))
  expect(stored).toEqual({ code })
})
