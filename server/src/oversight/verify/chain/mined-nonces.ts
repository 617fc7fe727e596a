/** The node's count of what each hot wallet sent is our count: nobody else signs with its key, and nothing final is gone. */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type ChainInvariant, type ComparedChain, findingsMax, type Outcome } from '../invariant.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'
import { type OpenAttempt, readMined, readOpenAttempts } from './outflows.ts'

/**
 * Of each lane, at the cursor's block: nonce at the node = its first payout's + those that are final or displaced + those
 * that are open and mined by the node's word. Deposit addresses are left out, whose delegations count too. A lane that has no payout
 * and yet sent something is told and breaks nothing: what it was is not ours to say.
 */
export function noncesAreTheChains(network: string): ChainInvariant {
  return {
    id: 'M19-chain',
    title: `the hot wallets of ${network} sent what the books say, and nothing else`,
    unit: 'hot wallets',
    network,
    prepare: async ({ on }) => {
      const cursor = await readCursorBlock(on, network)
      if (cursor === undefined) return async () => unseen('no block was read yet')
      const lanes = await readLanes(on, network, cursor.height)
      const attempts = await readOpenAttempts(on, network)
      return (chain, signal) =>
        whileAt(chain, cursor, signal, () => compare(chain, { cursor, lanes, attempts }, signal))
    },
  }
}

interface Lane {
  readonly address: string
  /** The nonce of its first payout; undefined where it has none. */
  readonly first: number | undefined
  /** How many of its nonces are used for good up to the cursor. */
  readonly used: number
}

async function readLanes(on: Queryable, network: string, height: number): Promise<readonly Lane[]> {
  const rows = await on.query<{ address: string; first: number | null; used: number }>(sql`
    with lane as (
      select address from hot_wallet where network = ${network}
      union select wallet from payout where network = ${network} and wallet_place ->> 'type' = 'lane'
    ), used as (
      select wallet, nonce, state = 'displaced' or (state = 'final' and included_height <= ${height}) as is_used
      from payout where network = ${network} and not is_superseded
      union all
      select wallet, nonce, height <= ${height} from payout_outflow where network = ${network}
    )
    select address, min(nonce) as first, count(*) filter (where is_used)::int as used
    from lane left join used on used.wallet = lane.address
    group by address order by address`)
  return rows.map(({ address, first, used }) => ({ address, first: first ?? undefined, used }))
}

async function compare(
  chain: ComparedChain,
  parts: {
    readonly cursor: CursorBlock
    readonly lanes: readonly Lane[]
    readonly attempts: readonly OpenAttempt[]
  },
  signal: AbortSignal,
): Promise<Outcome> {
  const { lanes, attempts } = parts
  const { height } = parts.cursor
  const mined = await readMined(chain, attempts, height, signal)
  const addresses = lanes.map(({ address }) => address)
  const nonces = await required(chain.sender, 'a sender').readNonces(addresses, height, signal)
  const findings: string[] = []
  const remarks: string[] = []
  for (const [place, { address, first, used }] of lanes.entries()) {
    const told = nonces[place] ?? 0
    const at = `at block ${height} ${address} has sent ${told} transactions by the node`
    if (first === undefined) {
      if (told > 0) remarks.push(`${at}, and no payout is known of it`)
      continue
    }
    const ours = first + used + mined.filter(({ wallet }) => wallet === address).length
    if (told !== ours) findings.push(`${at}, ${ours} by the books`)
  }
  return { examined: lanes.length, findings: findings.slice(0, findingsMax), remarks }
}
