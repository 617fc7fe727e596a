/** Tests how blocks with deposits of an OP stack chain are read, with a real anvil and one node that is trusted alone. */
import { afterAll, expect, it } from 'vitest'
import { openEvmReader } from '../../src/chains/evm/reader.ts'
import { devChainIdOf, networks } from '../../src/chains/networks.ts'
import { quantity, transferCall, useAnvil } from '../support/anvil.ts'

const never = new AbortController().signal
const anvil = useAnvil({ network: 'optimism' })
const payee = `0x${'5a'.repeat(20)}`

const opened: (() => Promise<void>)[] = []
afterAll(() => Promise.all(opened.map((close) => close())))

function openReader() {
  const network = { ...networks.optimism, chainId: devChainIdOf('optimism') }
  const reader = openEvmReader({ network, url: anvil.url, provesBlocks: true })
  opened.push(() => reader.close())
  return reader
}

let deposits = 0
/** Sends a deposit, which the chain below would add, and returns its hash. */
function sendDeposit(fields: object): Promise<string> {
  deposits += 1
  const sourceHash = `0x${deposits.toString(16).padStart(64, '0')}`
  const deposit = { type: '0x7e', gas: '0x30000', isSystemTx: false, sourceHash, ...fields }
  return anvil.rpc('eth_sendTransaction', [deposit])
}

const balanceOf = async (address: string | undefined) =>
  BigInt(await anvil.rpc('eth_getBalance', [address, 'latest']))

it('proves a block with deposits from a single node, and counts the value of each deposit once', async () => {
  const [from = '', failing = ''] = anvil.accounts.slice(3)
  const { USDT } = await anvil.deployTokens()
  const before = await balanceOf(from)
  const failingBefore = await balanceOf(failing)
  const paid = await sendDeposit({ from, to: payee, value: '0x7', mint: '0x9' })
  const failed = await sendDeposit({
    from: failing,
    to: USDT,
    input: transferCall(payee, 10n ** 30n),
    value: '0x0',
    mint: '0x5',
  })
  const height = await anvil.mine()
  await anvil.sendCoin({ to: payee, amountMinor: 8n })
  const next = await anvil.mine()

  const reader = openReader()
  const facts = await reader.readBlock(height, never)
  expect(facts?.transfers).toMatchObject([{ txHash: paid, sender: from, recipient: payee, amountMinor: 7n }])
  expect((await reader.readBlock(next, never))?.transfers).toMatchObject([{ amountMinor: 8n }])
  expect(await reader.readSigners?.([paid, failed], never)).toEqual([from, failing])

  const receipts = await anvil.rpc('eth_getBlockReceipts', [quantity(height)])
  expect(receipts.map(({ status }: { status: string }) => status)).toEqual(['0x1', '0x0'])
  expect(await balanceOf(payee)).toBe(15n)
  // The mint of a failed deposit remains, although no trace reports it.
  expect(await balanceOf(from)).toBe(before + 9n - 7n)
  expect(await balanceOf(failing)).toBe(failingBefore + 5n)
})
