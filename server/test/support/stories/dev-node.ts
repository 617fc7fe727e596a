/** Controls a development node with the methods that anvil and Hardhat's node share. */
import { callNode } from '../../../src/sandbox/node-call.ts'
import { sendTransaction } from '../../../src/sandbox/send-transaction.ts'
import { deployTestTokens, type TestTokens } from '../../../src/sandbox/test-tokens.ts'
import { quantity, transferCall } from '../anvil.ts'

export interface DevNode {
  readonly url: string
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>
  mine(blocks?: number): Promise<void>
  /** Deploys and mines the test tokens, of which account 0 holds a million each. */
  deployTokens(): Promise<TestTokens>
  /** Sends a payment from account 0, which the next block includes. Without `contract` it pays the coin. */
  pay(payment: {
    readonly to: string
    readonly amountMinor: bigint
    readonly contract: string | undefined
  }): Promise<string>
  /** Sends a payment that concerns nobody, so that a block differs from any other. */
  payElsewhere(): Promise<void>
  setBalance(address: string, amountMinor: bigint): Promise<void>
  balanceOf(address: string, contract: string | undefined): Promise<bigint>
  headTime(): Promise<Date>
  /** Returns a function that takes the chain back to its present state. It works once. */
  remember(): Promise<() => Promise<void>>
}

/** @param over members of the result that another function provides */
export async function controlNode(url: string, over: Partial<DevNode> = {}): Promise<DevNode> {
  const rpc: DevNode['rpc'] = (method, ...params) => callNode(url, method, params)
  const accounts = (await rpc('eth_accounts')) as readonly string[]
  const [payer, , stranger, other] = accounts
  const mine: DevNode['mine'] = async (blocks = 1) => {
    for (let mined = 0; mined < blocks; mined += 1) await rpc('evm_mine')
  }
  const send = (transaction: Record<string, unknown>) =>
    sendTransaction(url, transaction, AbortSignal.timeout(20_000))
  let elsewhereMinor = 0n
  return {
    url,
    rpc,
    mine,
    deployTokens: async () => {
      await rpc('evm_setAutomine', true)
      const tokens = await deployTestTokens(url, AbortSignal.timeout(20_000))
      await rpc('evm_setAutomine', false)
      return tokens
    },
    pay: async ({ to, amountMinor, contract }) => {
      const call =
        contract === undefined
          ? { to, value: quantity(amountMinor) }
          : { to: contract, data: transferCall(to, amountMinor) }
      return send({ from: payer, gas: quantity(100_000), ...call })
    },
    payElsewhere: async () => {
      elsewhereMinor += 1n
      await send({
        from: stranger,
        to: other,
        value: quantity(elsewhereMinor),
        gas: quantity(30_000),
      })
    },
    setBalance: async (address, amountMinor) => {
      await rpc('hardhat_setBalance', address, quantity(amountMinor))
    },
    balanceOf: async (address, contract) => {
      if (contract === undefined) return BigInt(String(await rpc('eth_getBalance', address, 'latest')))
      const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
      return BigInt(String(await rpc('eth_call', { to: contract, data }, 'latest')))
    },
    headTime: async () => {
      const block = (await rpc('eth_getBlockByNumber', 'latest', false)) as { readonly timestamp: string }
      return new Date(Number(block.timestamp) * 1000)
    },
    remember: async () => {
      const snapshot = await rpc('evm_snapshot')
      return async () => {
        if ((await rpc('evm_revert', snapshot)) !== true) throw new Error('the node did not go back')
      }
    },
    ...over,
  }
}
