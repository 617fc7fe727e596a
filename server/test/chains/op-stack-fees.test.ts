/** The fees that an OP-stack network charges in addition to gas, on an anvil that charges them. */
import * as TxEnvelopeEip1559 from 'ox/TxEnvelopeEip1559'
import { type Abi, decodeFunctionResult, encodeFunctionData } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { gasPriceOracle } from '../../src/chains/evm/op-stack-fees.ts'
import { networks } from '../../src/chains/networks.ts'
import { openSender } from '../../src/chains/open-chain.ts'
import { NodeError, type Spend, type UnsignedTransaction } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { useAnvil } from '../support/anvil.ts'
import { compileContract } from '../support/compile-contract.ts'
import { expensiveData, installGasPriceOracle, opStackNetwork, setOpStackFees } from '../support/op-stack.ts'
import { startAlteredNode } from './altered-node.ts'
import {
  coin,
  never,
  newWallet,
  type Sweeping,
  signAs,
  sweepingOn,
  token,
  transactionOf,
} from './own-wallets.ts'
import { recordedOnBase, recordedTransaction } from './recorded-receipt.ts'

const anvil = useAnvil({ network: 'base' })
const free = { l1BaseFeeMinor: 0n, l1BlobBaseFeeMinor: 0n, l1BaseFeeScalar: 0, l1BlobBaseFeeScalar: 0 }

let opened: Sweeping | undefined
let usdt = ''
let oracleCode = ''
const closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  oracleCode = await installGasPriceOracle(anvil)
  usdt = (await anvil.deployTokens()).USDT
  opened = sweepingOn(anvil, opStackNetwork)
  closing.push(opened.sender.close.bind(opened.sender))
})
beforeEach(async () => {
  await anvil.rpc('anvil_setCode', [gasPriceOracle, oracleCode])
  await setOpStackFees(anvil, expensiveData)
})
const perTest: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of perTest.splice(0)) await close()
})
afterAll(async () => {
  for (const close of closing) await close()
})
const chain = () => required(opened, 'the sender')

interface Charged {
  readonly transaction: UnsignedTransaction
  readonly estimatedMinor: bigint
  readonly chargedMinor: bigint
  readonly gasMinor: bigint
}

/** Reads the data fee of a transaction, sends the transaction, and returns what it was charged. */
async function charge(wallet: string, spend: Spend): Promise<Charged> {
  const { sender, etherOf } = chain()
  const estimate = await sender.estimateGas(wallet, spend, never)
  if ('error' in estimate) throw new Error(estimate.error)
  const [nonce = 0] = await sender.readNonces([wallet], undefined, never)
  const transaction = transactionOf(spend, { nonce, gasLimit: estimate.gas, chainId: anvil.chainId })
  const [estimatedMinor = 0n] = await sender.readDataFees([transaction], never)
  const { raw, txHash } = await signAs(wallet, transaction)
  expect(raw.length / 2).toBeLessThanOrEqual(spendCodecs.evm.signedBytesMax(transaction))
  const before = await etherOf(wallet)
  expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
  await anvil.mine()
  const { status, gasUsed, effectiveGasPrice } = await anvil.receiptOf(txHash)
  expect(status).toBe('0x1')
  const gasMinor = BigInt(gasUsed) * BigInt(effectiveGasPrice)
  const sentMinor = spend.type === 'pay' && spend.asset.type === 'coin' ? spend.amountMinor : 0n
  const chargedMinor = before - (await etherOf(wallet)) - gasMinor - sentMinor
  return { transaction, estimatedMinor, chargedMinor, gasMinor }
}

function expectWithin5Percent({ estimatedMinor, chargedMinor }: Charged): void {
  expect(estimatedMinor * 100n).toBeGreaterThanOrEqual(chargedMinor * 95n)
  expect(estimatedMinor * 100n).toBeLessThanOrEqual(chargedMinor * 105n)
}

const payCoin = (): Spend => ({ type: 'pay', asset: coin, recipient: newWallet(), amountMinor: 12_345n })

describe('the data fee of an OP-stack network', () => {
  it('is at least half of the cost here, and its estimate is within 5 % of the charge', async () => {
    const wallet = await chain().richWallet()
    await anvil.rpc('anvil_dealERC20', [wallet, usdt, '0xf4240'])
    const payToken: Spend = { type: 'pay', asset: token(usdt), recipient: newWallet(), amountMinor: 777_777n }
    for (const spend of [payCoin(), payToken]) {
      const charged = await charge(wallet, spend)
      expectWithin5Percent(charged)
      expect(charged.chargedMinor * 2n).toBeGreaterThanOrEqual(charged.gasMinor + charged.chargedMinor)
    }
  })

  it('of a sweep counts the signatures of its delegations', async () => {
    const wallet = await chain().richWallet()
    expectWithin5Percent(await charge(wallet, { type: 'deploy', hotWallets: [wallet] }))
    const delegate = spendCodecs.evm.delegateOf([wallet])
    for (const count of [1, 12]) {
      const addresses = Array.from({ length: count }, newWallet)
      for (const address of addresses) await anvil.rpc('anvil_setBalance', [address, '0x5000'])
      const delegations = await chain().delegations(addresses, delegate)
      const spend: Spend = { type: 'sweep', delegate, addresses, assets: [coin], delegations }
      const { etherOf } = chain()
      const before = await etherOf(wallet)
      const { estimatedMinor, chargedMinor } = await charge(wallet, spend)
      // The sweep itself brings coin to the hot wallet.
      const sweptMinor = BigInt(count) * 0x5000n
      expect(before).toBeGreaterThan(0n)
      expectWithin5Percent({ estimatedMinor, chargedMinor: chargedMinor + sweptMinor } as Charged)
    }
  })

  it('includes the operator fee for the gas limit', async () => {
    await setOpStackFees(anvil, { ...free, operator: { scalar: 7_000_000, constant: 12_345n } })
    const { estimatedMinor, chargedMinor, transaction } = await charge(await chain().richWallet(), payCoin())
    expect(estimatedMinor).toBe(transaction.gasLimit * 7n + 12_345n)
    expect(chargedMinor).toBe(estimatedMinor)
  })

  it('is unknown, and not 0, if the oracle does not report it', async () => {
    const transaction = transactionOf(payCoin())
    await anvil.rpc('anvil_setCode', [gasPriceOracle, '0x'])
    await expect(chain().sender.readDataFees([transaction], never)).rejects.toBeInstanceOf(NodeError)
    // Code that always reverts: PUSH0 PUSH0 REVERT.
    await anvil.rpc('anvil_setCode', [gasPriceOracle, '0x5f5ffd'])
    await expect(chain().sender.readDataFees([transaction], never)).rejects.toBeInstanceOf(NodeError)
  })

  it('is unknown if the operator fee cannot be read for another reason than its absence', async () => {
    const node = await startAlteredNode(anvil.url, (call, answer) =>
      call.method === 'eth_call' && JSON.stringify(call.params).includes('0x275aedd2')
        ? { id: call.id, error: { code: -32005, message: 'limit exceeded' } }
        : answer,
    )
    const sender = openSender({ network: opStackNetwork, urls: [node.url], log: silentLog })
    perTest.push(
      () => sender.close(),
      () => node.close(),
    )
    await expect(sender.readDataFees([transactionOf(payCoin())], never)).rejects.toBeInstanceOf(NodeError)
  })

  it('is the highest that any node reports', async () => {
    const behind = await startAlteredNode(anvil.url, (call, answer) =>
      call.method === 'eth_call' ? { ...answer, result: `0x${'0'.repeat(63)}1` } : answer,
    )
    const away = 'http://127.0.0.1:9'
    for (const urls of [
      [behind.url, anvil.url, away],
      [anvil.url, behind.url],
    ]) {
      const sender = openSender({ network: opStackNetwork, urls, log: silentLog })
      perTest.push(() => sender.close())
      const transaction = transactionOf(payCoin())
      expect(await sender.readDataFees([transaction], never)).toEqual(
        await chain().sender.readDataFees([transaction], never),
      )
    }
    perTest.push(() => behind.close())
  })

  it('does not exist on other networks, whose nodes are not asked', async () => {
    for (const name of ['ethereum', 'arbitrum', 'polygon', 'bsc'] as const) {
      const sender = openSender({ network: networks[name], urls: ['http://127.0.0.1:9'], log: silentLog })
      perTest.push(() => sender.close())
      expect(await sender.readDataFees([transactionOf(payCoin()), transactionOf(payCoin())], never)).toEqual([
        0n,
        0n,
      ])
    }
  })

  it.each(['coin', 'token'] as const)(
    'of a payment of the %s agrees with a receipt of Base',
    async (asset) => {
      const { l1FeeMinor, ...fees } = recordedOnBase[asset]
      await setOpStackFees(anvil, fees)
      const payToken: Spend = {
        type: 'pay',
        asset: token(usdt),
        recipient: newWallet(),
        amountMinor: 777_777n,
      }
      const transaction = transactionOf(asset === 'coin' ? payCoin() : payToken)
      const [estimatedMinor = 0n] = await chain().sender.readDataFees([transaction], never)
      expectWithin5Percent({ estimatedMinor, chargedMinor: l1FeeMinor } as Charged)
    },
  )

  it('agrees with a receipt of OP Mainnet', async () => {
    const { raw, l1FeeMinor, ...fees } = recordedTransaction
    await setOpStackFees(anvil, fees)
    const { abi } = await compileContract(
      new URL('../../src/sandbox/contracts/GasPriceOracle.sol', import.meta.url),
    )
    const ask = async (functionName: string, data: string) => {
      const call = encodeFunctionData({ abi: abi as Abi, functionName, args: [data] })
      const result = await anvil.rpc('eth_call', [{ to: gasPriceOracle, data: call }, 'latest'])
      return decodeFunctionResult({ abi: abi as Abi, functionName, data: result }) as bigint
    }
    expect(await ask('feeOfSigned', raw)).toBe(l1FeeMinor)
    const { r, s, yParity, ...unsigned } = TxEnvelopeEip1559.deserialize(raw)
    expect([r, s, yParity]).not.toContain(undefined)
    const estimatedMinor = await ask('getL1Fee', TxEnvelopeEip1559.serialize(unsigned))
    expectWithin5Percent({ estimatedMinor, chargedMinor: l1FeeMinor } as Charged)
  })
})
