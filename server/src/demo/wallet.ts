/**
 * A customer's wallet on the dev chain. The node of the dev chain signs for the wallet. Coffer has no access
 * to the wallet.
 */
import { encodeFunctionData, erc20Abi } from 'viem'
import { systemClock } from '../core/clock.ts'
import { callNode } from '../sandbox/node-call.ts'
import { isJson } from './client.ts'

export interface Wallet {
  readonly address: string
  readonly chainId: number
  /** Sends tokens and returns the transaction's hash without waiting for its block. */
  sendToken(payment: { contract: string; to: string; amountMinor: bigint }): Promise<string>
  /**
   * Waits until a transaction is mined and returns the height of its block. Rejects if the transaction
   * failed, or after `patienceMs`.
   */
  blockOf(txHash: string, patienceMs: number): Promise<number>
  headHeight(): Promise<number>
  /** The address of another person, which holds no tokens at first. */
  readonly recipient: string
  /** Returns an address's balance of a token, in the token's smallest unit. */
  tokenBalance(contract: string, address: string): Promise<bigint>
}

const payerIndex = 1
const recipientIndex = 5
const gas = '0x30000'
const pollMs = 50

/**
 * Opens the wallet of dev account 1, which holds test tokens. None of the first nine dev accounts belongs to
 * Coffer.
 */
export async function openWallet(nodeUrl: string, signal: AbortSignal): Promise<Wallet> {
  const ask = (method: string, params: readonly unknown[] = []) => callNode(nodeUrl, method, params, signal)
  const accounts = await ask('eth_accounts')
  const [address, recipient] = [payerIndex, recipientIndex].map((index): unknown =>
    Array.isArray(accounts) ? accounts[index] : undefined,
  )
  if (typeof address !== 'string' || typeof recipient !== 'string') {
    throw new Error(`the node at ${nodeUrl} has no dev accounts`)
  }
  return {
    address,
    recipient,
    chainId: Number(await ask('eth_chainId')),
    async sendToken({ contract, to, amountMinor }) {
      const args = [hex(to), amountMinor] as const
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
      return String(await ask('eth_sendTransaction', [{ from: address, to: contract, data, gas }]))
    },
    async blockOf(txHash, patienceMs) {
      const giveUpAt = performance.now() + patienceMs
      for (;;) {
        signal.throwIfAborted()
        const receipt = await ask('eth_getTransactionReceipt', [txHash])
        if (isJson(receipt)) return minedAt(receipt)
        if (performance.now() > giveUpAt) {
          throw new Error(`the dev chain did not mine ${txHash} within ${patienceMs / 1000} s`)
        }
        await systemClock.sleep(pollMs, signal)
      }
    },
    async tokenBalance(contract, owner) {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [hex(owner)] })
      return BigInt(String(await ask('eth_call', [{ to: contract, data }, 'latest'])))
    },
    headHeight: async () => Number(await ask('eth_blockNumber')),
  }
}

function minedAt({ status, blockNumber }: Readonly<Record<string, unknown>>): number {
  if (status === '0x1') return Number(blockNumber)
  throw new Error('the token transfer reverted: check that dev account 1 still has enough test USDT')
}

function hex(address: string): `0x${string}` {
  return `0x${address.slice(2)}`
}
