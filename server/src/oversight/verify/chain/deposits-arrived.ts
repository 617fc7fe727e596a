/** Checks that booked deposits are transfers of the chain, by reading their blocks from the node again. */
import sql from 'sql-template-tag'
import { asBadAnswer, NodeError, type Transfer } from '../../../chains/port.ts'
import { groupBy } from '../../../core/group-by.ts'
import { limits } from '../../../core/limits.ts'
import { isInnerCall } from '../../../payments/deposits/recording/found-by-balance.ts'
import { type ChainInvariant, type ComparedChain, findingsMax, type Outcome } from '../invariant.ts'
import { inRandomOrder } from '../random-order.ts'

/**
 * Maximum number of the newest deposits that are checked, and of older deposits that are chosen at random.
 * Each check reads a whole block, and nodes rarely keep the traces of old blocks.
 */
const newestMax = 100
const sampledMax = 100

interface Deposit {
  readonly id: string
  readonly key: string
  readonly txHash: string
  readonly height: number
  readonly blockHash: string
  readonly asset: string
  readonly sender: string | null
  readonly recipient: string
  readonly amountMinor: string
}

/**
 * Checks the newest final deposits and as many random older ones. The chain must contain the transfer that a
 * deposit names, with the deposit's asset, amount, sender and recipient. A deposit that was found by balance names
 * no transfer. That its money is there is checked by M8, which compares balances.
 */
export function depositsArrived(network: string): ChainInvariant {
  return {
    id: 'M9-chain',
    title: `the newest ${newestMax} final deposits of ${network}, and as many random ones, are transfers on the chain`,
    unit: 'deposits',
    network,
    prepare: async ({ on, methods }) => {
      const deposits = await on.query<Deposit>(sql`
        with final as (
          select deposit.id, transfer_key as key, tx_hash as "txHash", block_height as height,
            block_hash as "blockHash", asset, sender, recipient, amount_minor::text as "amountMinor"
          from deposit join chain_cursor cursor using (network)
          where network = ${network} and state = 'confirmed' and transfer_key not like 'balance:%' and block_height <= greatest(cursor.final_height, cursor.height - ${limits.rollbackBlocks})
        ), newest as (
          select * from final order by height desc, id desc limit ${newestMax}
        ), sampled as (
          select * from final where id not in (select id from newest)
          order by ${inRandomOrder(sql`id`)} limit ${sampledMax}
        )
        select * from newest union all select * from sampled order by height desc, id desc`)
      const contracts = new Map(methods.all.map(({ asset, contract }) => [asset, contract]))
      return (chain, signal) => compare(chain, { deposits, contracts }, signal)
    },
  }
}

async function compare(
  { reader }: ComparedChain,
  parts: {
    readonly deposits: readonly Deposit[]
    readonly contracts: ReadonlyMap<string, string | undefined>
  },
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  const remarks: string[] = []
  let examined = 0
  for (const [height, deposits] of groupBy(parts.deposits, (deposit) => deposit.height)) {
    const facts = await reader.readBlock(height, signal).catch(asBadAnswer)
    if (facts instanceof NodeError) {
      remarks.push(`block ${height} could not be compared: ${facts.message}`)
      continue
    }
    const transfers = new Map(facts?.transfers.map((transfer) => [transfer.key, transfer]))
    for (const deposit of deposits) {
      if (facts?.tracedBy === 'none' && isInnerCall({ transferKey: deposit.key })) {
        remarks.push(`deposit ${deposit.id} could not be compared: the nodes report no call traces`)
        continue
      }
      examined += 1
      const isThere = facts?.block.hash === deposit.blockHash
      const moved = isThere ? transfers.get(deposit.key) : undefined
      const error = errorOf(deposit, moved, parts.contracts.get(deposit.asset))
      if (error !== undefined) findings.push(`deposit ${deposit.id} names ${deposit.key}: ${error}`)
    }
  }
  return { examined, findings: findings.slice(0, findingsMax), remarks: remarks.slice(0, findingsMax) }
}

function errorOf(deposit: Deposit, moved: Transfer | undefined, contract = 'coin'): string | undefined {
  if (moved === undefined) return 'its block has no such transfer'
  const movedContract = moved.asset.type === 'token' ? moved.asset.contract : 'coin'
  if (movedContract !== contract) return `the chain moved ${movedContract}, not ${deposit.asset}`
  if (moved.txHash !== deposit.txHash)
    return `the chain moved it in ${moved.txHash}, not in ${deposit.txHash}`
  if (moved.recipient !== deposit.recipient)
    return `the chain moved it to ${moved.recipient}, not to ${deposit.recipient}`
  if (`${moved.amountMinor}` !== deposit.amountMinor)
    return `the chain moved ${moved.amountMinor}, not ${deposit.amountMinor}`
  const senders = moved.senders ?? [moved.sender ?? null]
  if (deposit.sender !== null && !senders.includes(deposit.sender))
    return `the chain moved it from ${senders.join(', ')}, not from ${deposit.sender}`
  return undefined
}
