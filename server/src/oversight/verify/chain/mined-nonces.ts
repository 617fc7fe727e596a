/**
 * Checks that the node counts the same number of transactions of each hot wallet as the books. Another number
 * means that somebody else signs with the wallet's key, or that a final transaction is gone.
 */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type ChainInvariant, type ComparedChain, findingsMax, type Outcome } from '../invariant.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'
import { type OpenAttempt, readMined, readOpenAttempts } from './outflows.ts'

/**
 * Compares the nonce of each hot wallet at the cursor's block (the last booked one). The nonce at the node
 * must be the sum of three numbers: the nonce of the first outgoing transaction, the number of outgoing
 * transactions that are final or conflicted, and the number of open ones that the node has mined. Deposit
 * addresses are left out, because their nonces also count delegations (EIP-7702). If a hot wallet has sent
 * something but has no transaction in the books, the result is only a remark, because there is nothing to
 * compare with.
 */
export function noncesAreTheChains(network: string): ChainInvariant {
  return {
    id: 'M19-chain',
    title: `the hot wallets of ${network} have sent what the books say, and nothing else`,
    unit: 'hot wallets',
    network,
    prepare: async ({ on }) => {
      const cursor = await readCursorBlock(on, network)
      if (cursor === undefined) return async () => unseen('no block was read yet')
      const hotWallets = await readHotWallets(on, network, cursor.height)
      const attempts = await readOpenAttempts(on, network)
      return (chain, signal) =>
        whileAt(chain, cursor, signal, () => compare(chain, { cursor, hotWallets, attempts }, signal))
    },
  }
}

interface HotWallet {
  readonly address: string
  /** The nonce of the wallet's first outgoing transaction; undefined if the wallet has none. */
  readonly first: number | undefined
  /** The number of the wallet's nonces that are finally used, up to the cursor's block. */
  readonly used: number
}

async function readHotWallets(on: Queryable, network: string, height: number): Promise<readonly HotWallet[]> {
  const rows = await on.query<{ address: string; first: number | null; used: number }>(sql`
    with known_wallet as (
      select address from hot_wallet where network = ${network}
      union select wallet from outgoing_evm where network = ${network} and hot_wallet is not null
    ), used as (
      select wallet, nonce, state = 'conflicted' or (state = 'final' and included_height <= ${height}) as is_used
      from outgoing_evm evm join outgoing_transaction on id = outgoing_transaction_id
      where evm.network = ${network} and not is_superseded
      union all
      select wallet, nonce, height <= ${height} from wallet_outflow where network = ${network} and wallet is not null
    )
    select address, min(nonce) as first, count(*) filter (where is_used)::int as used
    from known_wallet left join used on used.wallet = known_wallet.address
    group by address order by address`)
  return rows.map(({ address, first, used }) => ({ address, first: first ?? undefined, used }))
}

async function compare(
  chain: ComparedChain,
  parts: {
    readonly cursor: CursorBlock
    readonly hotWallets: readonly HotWallet[]
    readonly attempts: readonly OpenAttempt[]
  },
  signal: AbortSignal,
): Promise<Outcome> {
  const { hotWallets, attempts } = parts
  const { height } = parts.cursor
  const mined = await readMined(chain, attempts, height, signal)
  const addresses = hotWallets.map(({ address }) => address)
  const nonces = await required(chain.sender, 'a sender').readNonces(addresses, height, signal)
  const findings: string[] = []
  const remarks: string[] = []
  for (const [index, { address, first, used }] of hotWallets.entries()) {
    const reported = nonces[index] ?? 0
    const at = `at block ${height} ${address} has sent ${reported} transactions by the node`
    if (first === undefined) {
      if (reported > 0) remarks.push(`${at}, but no outgoing transaction of it is known`)
      continue
    }
    const expectedNonce = first + used + mined.filter(({ wallet }) => wallet === address).length
    if (reported !== expectedNonce) findings.push(`${at}, ${expectedNonce} by the books`)
  }
  return { examined: hotWallets.length, findings: findings.slice(0, findingsMax), remarks }
}
