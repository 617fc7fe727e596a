import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import type { SignDigest, Spend, TransferAsset, UnsignedTransaction } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { quantity, useAnvil } from '../support/anvil.ts'
import { devNetwork } from './evm-world.ts'

const anvil = useAnvil()
const never = new AbortController().signal
const coin: TransferAsset = { type: 'coin' }
const keys = new Map<string, `0x${string}`>()
const signDigest: SignDigest = async (address, digest) => {
  const privateKey = required(keys.get(address), 'key')
  const { r, s, yParity = 0 } = await sign({ hash: digest as `0x${string}`, privateKey })
  return { r, s, yParity }
}

function newWallet(): string {
  const key = generatePrivateKey()
  const address = privateKeyToAccount(key).address.toLowerCase()
  keys.set(address, key)
  return address
}

async function richWallet(): Promise<string> {
  const wallet = newWallet()
  await anvil.rpc('anvil_setBalance', [wallet, quantity(10n ** 20n)])
  return wallet
}

function sender() {
  return openSender({ network: devNetwork, urls: [anvil.url], log: silentLog })
}

function transactionOf(spend: Spend, changes: Partial<UnsignedTransaction> = {}): UnsignedTransaction {
  const fees = { gas: 3_000_000n, maxFeeMinor: 50n * 10n ** 9n, tipMinor: 10n ** 9n }
  return { chainId: devNetwork.chainId, nonce: 0, ...fees, spend, ...changes }
}

describe('the EVM sender', () => {
  it('deploys the sweep contract and sweeps delegated addresses with it', async () => {
    const { USDT } = await anvil.deployTokens()
    const lane = await richWallet()
    const delegate = spendCodecs.evm.delegateOf([lane])
    const deposits = [newWallet(), newWallet()]
    for (const deposit of deposits) {
      await anvil.rpc('anvil_dealERC20', [deposit, USDT, quantity(5_000_000n)])
      await anvil.rpc('anvil_setBalance', [deposit, quantity(10n ** 18n)])
    }
    const deploy = await spendCodecs.evm.sign(
      transactionOf({ type: 'deploy', lanes: [lane] }),
      lane,
      signDigest,
    )
    expect(await sender().estimateGas(lane, { type: 'deploy', lanes: [lane] }, never)).toHaveProperty('gas')
    expect(await sender().broadcast(deploy.raw, never)).toEqual({ type: 'taken' })
    expect(await sender().broadcast(deploy.raw, never)).toEqual({ type: 'taken' })
    await anvil.mine()
    expect(await sender().broadcast(deploy.raw, never)).toEqual({ type: 'taken' })
    expect(await sender().hasCode(delegate, never)).toBe(true)
    const spend: Spend = {
      type: 'gather',
      delegate,
      addresses: deposits,
      assets: [{ type: 'token', contract: USDT }, coin],
      delegations: deposits.map((address) => ({ address, delegate, nonce: 0 })),
    }
    const estimate = await sender().estimateGas(lane, spend, never)
    const gas = 'gas' in estimate ? estimate.gas : 0n
    const { raw, txHash } = await spendCodecs.evm.sign(
      transactionOf(spend, { nonce: 1, gas }),
      lane,
      signDigest,
    )
    expect(await sender().broadcast(raw, never)).toEqual({ type: 'taken' })
    await anvil.mine()
    const [receipt] = await sender().readReceipts([txHash], never)
    expect(receipt).toMatchObject({ txHash, isSuccess: true })
    expect(await sender().readDelegates(deposits, never)).toEqual([delegate, delegate])
    expect(await anvil.rpc('eth_getBalance', [deposits[0], 'latest'])).toBe('0x0')
  })
})
