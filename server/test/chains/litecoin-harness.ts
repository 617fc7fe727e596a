/**
 * The harness of the conformance suite for a real litecoind. Every act spends UTXOs of its own, so that their
 * order is independent.
 */
import type { Act, ChainHarness, PreparedTransaction } from '../../src/chains/conformance/harness.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { mineWallet, newAddress, type Paid } from '../support/litecoin-wallet.ts'
import { litecoinRegtest, startLitecoind } from '../support/litecoind.ts'
import { startAlteredNode } from './altered-node.ts'

export function openLitecoin(...urls: readonly string[]) {
  return openChain({ network: litecoinRegtest, urls, log: silentLog })
}

const none = 'there are no contracts'

export async function litecoinHarness(): Promise<ChainHarness> {
  const node = await startLitecoind()
  const wallet = await mineWallet(node, 60)
  const blindNode = await startAlteredNode(node.url, withoutPayments)
  const reader = openLitecoin(node.url)
  const blindReader = openLitecoin(blindNode.url)
  const prepared = new Map<string, Paid>()
  const keep = (paid: Paid): PreparedTransaction => {
    prepared.set(paid.txid, paid)
    return { txHash: paid.txid }
  }
  const preparedOf = ({ txHash }: PreparedTransaction) =>
    required(prepared.get(txHash), 'prepared transaction')
  return {
    reader,
    blindReader,
    largeMinor: 4_999_000_001n,
    unknownTxHash: () => 'cd'.repeat(32),
    token: none,
    lookAlike: none,
    silentToken: none,
    sanctionsOracle: async () => none,
    newAddress,
    prepare: async (act) => keep(wallet.sign(paymentsOf(act), { replaceable: true })),
    mine: (transactions = []) => node.mineOnly(transactions.map((one) => preparedOf(one).raw)),
    mempool: {
      submit: async (transaction) => void (await wallet.send(preparedOf(transaction))),
      prepareRival: async (of, payment) => {
        const { utxo } = preparedOf(of)
        return keep(wallet.sign([payment], { utxo, replaceable: true, feeMinor: 1_000_000n }))
      },
      prepareChild: async (of, payment) => keep(wallet.spendChange(preparedOf(of), [payment])),
    },
    rollback: (depth) => node.rollBack(depth),
    close: async () => {
      await Promise.all([reader.close(), blindReader.close()])
      await blindNode.close()
      await node.stop()
    },
  }
}

function paymentsOf(act: Act) {
  if (act.type === 'coin') return [act]
  if (act.type === 'coins') return act.payments
  throw new Error(none)
}

/** Removes all transactions but the coinbase from the answers to `getblock`. */
function withoutPayments({ method }: { readonly method: string }, answer: Record<string, unknown>) {
  const { result } = answer
  if (method !== 'getblock' || typeof result !== 'string') return answer
  const header = result.slice(0, 160)
  const count = result.slice(160, 162)
  const rest = result.slice(162)
  // The second transaction begins at a version of 1 or 2 followed by the marker of witnesses.
  const second = rest.search(/(?<=^(?:..)+)0[12]0000000001/)
  return count === '01' ? answer : { ...answer, result: `${header}01${rest.slice(0, second)}` }
}
