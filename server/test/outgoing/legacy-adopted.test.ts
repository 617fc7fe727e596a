/**
 * Transactions of type 0 of a hot wallet that only the chain knows, because the database and the signer's log were
 * restored. The node states no type for them, as some nodes do.
 */
import type { Hex, TransactionSerializableLegacy } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, it, onTestFinished } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import { silentLog } from '../../src/core/log.ts'
import { readOutgoingFigures } from '../../src/outgoing/engine/controls/figures.ts'
import { readUnknownOutflows } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { resumeHalts } from '../support/lifts.ts'
import { attemptsOf } from '../support/outgoing/attempts.ts'
import { outgoingRecoveryRecords } from '../support/outgoing/records.ts'
import { startLegacyNode } from '../support/stories/legacy-node.ts'
import { type StoryEngine, type StoryWithdrawal, useStoryFlow } from '../support/stories/story-flow.ts'

const flow = useStoryFlow(startLegacyNode)
const gwei = 10n ** 9n
/** Small, so that few nonces have to be used up. */
const inFlightMax = 2
/** Net amount of an order of 0.002 after the fee. */
const netMinor = 1_980_000_000_000_000n

/** Orders a withdrawal, and mines a transaction that pays it and that neither the books nor the log have. */
async function paidUnknown(chainId: number | undefined) {
  const { merchantId, address, amountMinor } = await flow.openInvoice(flow.assets.coin)
  await flow.node.dev.pay({ to: address, amountMinor, contract: undefined })
  await flow.mine(5)
  const withdrawal = await flow.withdraw(merchantId, flow.assets.coin, '0.002')
  const account = mnemonicToAccount(flow.signer.options.mnemonic, { path: "m/44'/60'/1'/0/0" })
  const wallet = account.address.toLowerCase()
  expect(flow.signer.keys.hotWallets).toEqual([wallet])
  const nonce = Number(await flow.node.dev.rpc('eth_getTransactionCount', wallet, 'latest'))
  const plain = { type: 'legacy', nonce, gasPrice: 3n * gwei, gas: 21_000n, value: netMinor } as const
  const transaction: TransactionSerializableLegacy = { ...plain, to: withdrawal.recipient as Hex, chainId }
  const raw = await account.signTransaction(transaction)
  const hash = String(await flow.node.dev.rpc('eth_sendRawTransaction', raw))
  await flow.mine(5)
  return { withdrawal, raw: raw.slice(2), hash, nonce }
}

async function engineOnUntyped(): Promise<StoryEngine> {
  const node = await startAlteredNode(flow.node.url, ({ method }, answer) => {
    if (method !== 'eth_getTransactionByHash' || !answer['result']) return answer
    const { type: _, ...result } = answer['result'] as Record<string, unknown>
    return { ...answer, result }
  })
  const sender = openSender({ network: flow.node.network, urls: [node.url], log: silentLog })
  onTestFinished(async () => {
    await sender.close()
    await node.close()
  })
  const engine = await flow.engine({ sender, inFlightMax })
  await engine.settle()
  expect(await halts()).toEqual(['chain-ahead'])
  await resumeHalts(flow.shop.db, flow.signer.keys)
  return engine
}

const halts = async () => (await readOutgoingFigures(flow.shop.db)).halts.map(({ cause }) => cause)
const isRecovered = async () => (await outgoingRecoveryRecords.all(flow.shop.db)).length === 0
const received = ({ recipient }: StoryWithdrawal) => flow.node.dev.balanceOf(recipient, undefined)

it('one that paid an order is adopted from the chain, and the order is not paid again', async () => {
  const { withdrawal, raw, hash, nonce } = await paidUnknown(flow.node.network.chainId)
  const engine = await engineOnUntyped()
  await engine.playUntil(async () => (await flow.stateOf(withdrawal)) === 'completed' && isRecovered())
  expect(await attemptsOf(flow.shop.db, { id: withdrawal.id })).toMatchObject([{ raw, hash, nonce }])
  expect(await received(withdrawal)).toBe(netMinor)
  expect(await readUnknownOutflows(flow.shop.db)).toEqual([])
  await flow.expectRightBooks()
})

it('one without a chain id in its signature pays no order, and halts payouts', async () => {
  const { withdrawal, hash } = await paidUnknown(undefined)
  const engine = await engineOnUntyped()
  await engine.playUntil(async () => (await readUnknownOutflows(flow.shop.db)).length > 0)
  expect(await readUnknownOutflows(flow.shop.db)).toMatchObject([{ txHash: hash }])
  expect(await halts()).toEqual(['log-unknown'])
  await engine.settle()
  expect(await flow.stateOf(withdrawal)).toBe('pending')
  expect(await attemptsOf(flow.shop.db, { id: withdrawal.id })).toEqual([])
  expect(await received(withdrawal)).toBe(netMinor)
})
