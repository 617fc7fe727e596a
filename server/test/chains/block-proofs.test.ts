/**
 * Tests how blocks are read from a single node. Everything that the node returns, except the traces, must
 * match the block's hash.
 */
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BlockFacts, NodeError, type Transfer } from '../../src/chains/port.ts'
import { quantity, readTestContract, transferCall, useAnvil } from '../support/anvil.ts'
import { type Alter, startAlteredNode } from './altered-node.ts'
import { devNetwork, openDevChain } from './evm-harness.ts'

const never = new AbortController().signal
const anvil = useAnvil()
/** The first of anvil's published keys. */
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const payee = `0x${'5a'.repeat(20)}`
let usdt: string
let height: number

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

beforeAll(async () => {
  usdt = (await anvil.deployTokens()).USDT
  for (let payment = 0; payment < 70; payment += 1) {
    await anvil.sendToken({ contract: usdt, to: payee, amountMinor: 5n })
    await anvil.sendCoin({ to: payee, amountMinor: 7n })
  }
  height = await anvil.mine()
})

async function readThrough(alter: Alter, at = height) {
  return (await openThrough(alter)).readBlock(at, never)
}

async function openThrough(alter: Alter) {
  const node = await startAlteredNode(anvil.url, alter)
  const reader = openDevChain(node.url)
  opened.push(
    () => node.close(),
    () => reader.close(),
  )
  return reader
}

// biome-ignore lint/suspicious/noExplicitAny: a test spoils answers of any shape
type NodeAnswer = any

/** Changes the answers about one block, by method. Each function receives a copy of the result. */
function spoiling(spoils: Readonly<Record<string, (result: NodeAnswer) => NodeAnswer>>): Alter {
  return (call, answer) => {
    const spoil = spoils[call.method]
    const isOther = call.params[0] === 'latest'
    return spoil === undefined || isOther
      ? answer
      : { ...answer, result: spoil(structuredClone(answer['result'])) }
  }
}

/**
 * Removes a transaction from all answers about a block. The bloom filter stays valid, since another
 * transaction contains each of its values too.
 */
function leaveOut(txHash: string): Alter {
  return spoiling({
    eth_getBlockByNumber: (block) => ({
      ...block,
      transactions: block.transactions.filter((tx: NodeAnswer) => (tx.hash ?? tx) !== txHash),
    }),
    eth_getBlockReceipts: (receipts) =>
      numbered(receipts.filter((receipt: NodeAnswer) => receipt.transactionHash !== txHash)),
    eth_getLogs: (logs) => renumber(logs.filter((log: NodeAnswer) => log.transactionHash !== txHash)),
    trace_block: (traces) => traces.filter((trace: NodeAnswer) => trace.transactionHash !== txHash),
  })
}

function numbered(receipts: NodeAnswer[]): NodeAnswer[] {
  let next = 0
  return receipts.map((receipt) => ({
    ...receipt,
    logs: receipt.logs.map((log: NodeAnswer) => ({ ...log, logIndex: quantity(next++) })),
  }))
}

function renumber(logs: NodeAnswer[]): NodeAnswer[] {
  return logs.map((log, index) => ({ ...log, logIndex: quantity(index) }))
}

async function hashAt(position: number): Promise<string> {
  const { transactions } = await anvil.rpc('eth_getBlockByNumber', [quantity(height), false])
  return transactions[position]
}

describe('a transfer that is left out of all answers about a block', () => {
  it.each([
    ['a token', 0],
    ['the coin', 1],
  ])('is refused from a single node: %s', async (_, position) => {
    await expect(readThrough(leaveOut(await hashAt(position)))).rejects.toThrow(/do not match the root/)
  })

  it('is refused even if the roots fit, since the hash of the block does not', async () => {
    const other = await anvil.rpc('eth_getBlockByNumber', [quantity(height - 1), false])
    const lie = spoiling({
      eth_getBlockByNumber: (block) => ({ ...block, receiptsRoot: other.receiptsRoot }),
    })
    await expect(readThrough(lie)).rejects.toThrow(/does not have that hash/)
  })
})

it('a log that names another transaction of its block is refused, because it would be another transfer', async () => {
  const txHashes: string[] = []
  for (const amountMinor of [1_000n, 2_000n])
    txHashes.push(await anvil.sendToken({ contract: usdt, to: payee, amountMinor }))
  const paired = await anvil.mine()
  const [first, second] = txHashes
  const others = new Map([
    [first, second],
    [second, first],
  ])
  const lie = spoiling({
    eth_getBlockReceipts: (receipts) =>
      receipts.map((receipt: NodeAnswer) => ({
        ...receipt,
        logs: receipt.logs.map((log: NodeAnswer) => ({
          ...log,
          transactionHash: others.get(log.transactionHash),
        })),
      })),
  })
  await expect(readThrough(lie, paired)).rejects.toThrow(/names another transaction/)
})

describe('a transfer of the coin by the transaction itself', () => {
  it.each<[string, (trace: NodeAnswer) => NodeAnswer]>([
    ['another amount', (trace) => ({ ...trace, action: { ...trace.action, value: '0x1' } })],
    ['nothing', (trace) => ({ ...trace, action: { ...trace.action, value: '0x0' } })],
    ['somebody else', (trace) => ({ ...trace, action: { ...trace.action, to: `0x${'11'.repeat(20)}` } })],
    ['nobody, as one that failed', (trace) => ({ ...trace, error: 'Reverted' })],
  ])('is refused if its trace contradicts the transaction: %s', async (_, spoil) => {
    const txHash = await hashAt(1)
    const lie = spoiling({
      trace_block: (traces) =>
        traces.map((trace: NodeAnswer) => (trace.transactionHash === txHash ? spoil(trace) : trace)),
    })
    await expect(readThrough(lie)).rejects.toThrow(NodeError)
  })

  it('is refused if the traces report it twice', async () => {
    const txHash = await hashAt(1)
    const lie = spoiling({
      trace_block: (traces) =>
        traces.flatMap((trace: NodeAnswer) =>
          trace.transactionHash === txHash
            ? [{ ...trace, action: { ...trace.action, value: '0x63' } }, trace]
            : [trace],
        ),
    })
    await expect(readThrough(lie)).rejects.toThrow(/is reported twice/)
  })

  it("has the transaction's signer as its sender, for every type of transaction and whatever the node answers", async () => {
    const lie = spoiling({
      eth_getTransactionByHash: (transaction) => ({ ...transaction, from: `0x${'22'.repeat(20)}` }),
    })
    await sendEachType()
    const reader = await openThrough(lie)
    const reported = coinOf(await reader.readBlock(await anvil.mine(), never))
    const signers = await reader.readSigners?.(
      reported.map(({ txHash }) => txHash),
      never,
    )
    expect(signers).toEqual(Array(4).fill(account.address.toLowerCase()))
    const altered = await openThrough(
      spoiling({ eth_getTransactionByHash: (transaction) => ({ ...transaction, value: '0x63' }) }),
    )
    const [first] = reported.map(({ txHash }) => txHash)
    await expect(altered.readSigners?.([first ?? ''], never)).rejects.toThrow(/does not have that hash/)
  })

  it('is refused if its trace contradicts its receipt, in whatever form the number is written', async () => {
    const txHash = await hashAt(1)
    const isIt = (receipt: NodeAnswer) => receipt.transactionHash === txHash
    const lie = spoiling({
      eth_getBlockReceipts: (receipts) =>
        receipts.map((receipt: NodeAnswer) => (isIt(receipt) ? { ...receipt, status: '0x01' } : receipt)),
      trace_block: (traces) =>
        traces.map((trace: NodeAnswer) => (isIt(trace) ? { ...trace, error: 'Reverted' } : trace)),
    })
    await expect(readThrough(lie)).rejects.toThrow(/contradict each other/)
  })
})

it('accepts blocks of every type of transaction, with failed transactions, and empty blocks', async () => {
  await sendEachType()
  await anvil.rpc('eth_sendTransaction', [
    { from: anvil.accounts[4], to: usdt, data: transferCall(payee, 10n ** 30n), gas: '0x30000' },
  ])
  const forwarder = await readTestContract('Forwarder')
  await anvil.rpc('eth_sendTransaction', [
    { from: anvil.accounts[5], data: forwarder.bytecode, gas: '0x300000' },
  ])
  const mixed = await anvil.mine()
  const receipts = await anvil.rpc('eth_getBlockReceipts', [quantity(mixed)])
  expect(new Set(receipts.map(({ type }: NodeAnswer) => type))).toEqual(new Set(['0x0', '0x1', '0x2', '0x4']))
  expect(receipts.map(({ status }: NodeAnswer) => status)).toContain('0x0')
  const facts = await readThrough((_, answer) => answer, mixed)
  expect(facts?.transfers).toHaveLength(4)
  const empty = await anvil.mine()
  expect((await readThrough((_, answer) => answer, empty))?.transfers).toEqual([])
})

/** Sends a payment with each type of transaction but blob transactions. */
async function sendEachType(): Promise<void> {
  const fees = { gas: 300_000n, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1n }
  const { gas, maxFeePerGas: gasPrice } = fees
  const target = { to: payee as `0x${string}`, value: 1n, chainId: devNetwork.chainId }
  const accessList = [{ address: usdt as `0x${string}`, storageKeys: [`0x${'01'.repeat(32)}` as const] }]
  let nonce = Number(await anvil.rpc('eth_getTransactionCount', [account.address, 'latest']))
  const authorization = await account.signAuthorization({
    contractAddress: usdt as `0x${string}`,
    chainId: devNetwork.chainId,
    nonce: nonce + 4,
  })
  for (const params of [
    { ...target, type: 'legacy', gas, gasPrice },
    { ...target, type: 'eip2930', gas, gasPrice, accessList },
    { ...target, type: 'eip1559', ...fees, accessList },
    { ...target, type: 'eip7702', ...fees, authorizationList: [authorization] },
  ] as const) {
    const raw = await account.signTransaction({ ...params, nonce } as never)
    await anvil.rpc('eth_sendRawTransaction', [raw])
    nonce += 1
  }
}

function coinOf(facts: BlockFacts | undefined): readonly Transfer[] {
  return facts?.transfers.filter(({ asset }) => asset.type === 'coin') ?? []
}
