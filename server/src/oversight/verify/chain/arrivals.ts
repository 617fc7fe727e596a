/** What was to be paid is what the chain moved: the transfers of completed withdrawals, read anew from the node. */
import sql from 'sql-template-tag'
import { type ChainTraits, isBadAnswer, NodeError, type TransactionSight } from '../../../chains/port.ts'
import { groupBy } from '../../../core/group-by.ts'
import {
  type ChainInvariant,
  type ComparedChain,
  findingsMax,
  type Outcome,
  type Snapshot,
} from '../invariant.ts'

/** Each takes a look at a whole block, and nodes keep the traces of old ones seldom: the newest are looked at. */
const newestMax = 100

interface Arrival {
  readonly id: string
  readonly txHash: string
  /** Of the block that it is final in. */
  readonly height: number
  /** Null where money lies in coins: they may be of many addresses. */
  readonly wallet: string | null
  readonly asset: string
  readonly address: string
  readonly netMinor: string
}

/** Of each of the newest completed withdrawals: its transaction moved just its net to its address, from our wallet. */
export function withdrawalsArrived(network: string): ChainInvariant {
  return {
    id: 'M10-chain',
    title: `the newest ${newestMax} completed withdrawals of ${network} arrived as they were ordered`,
    unit: 'withdrawals',
    network,
    prepare: async (snapshot) => {
      const arrivals = await readArrivals(snapshot, network)
      const contracts = new Map(snapshot.methods.all.map(({ asset, contract }) => [asset, contract]))
      return (chain, signal) => compare(chain, { arrivals, contracts }, signal)
    },
  }
}

/** By what the withdrawal itself says, not by what went to the signer; M10 compares these two. */
function readArrivals({ on }: Snapshot, network: string): Promise<readonly Arrival[]> {
  return on.query<Arrival>(sql`
    select withdrawal.id, withdrawal.tx_hash as "txHash", payout.included_height as height,
      case when wallet_place ->> 'type' <> 'hot' then payout.wallet end as wallet, withdrawal.asset, withdrawal.address,
      (amount_minor - withdrawal.fee_minor)::text as "netMinor"
    from withdrawal
    join payout_attempt attempt on attempt.network = ${network} and attempt.tx_hash = withdrawal.tx_hash
    join payout on payout.id = attempt.payout_id
    where withdrawal.state = 'completed' and payout.state = 'final'
      -- An operator said that it is paid though the transfer is not as it was ordered.
      and not exists (
        select from payout_without_transfer unmoved where unmoved.payout_id = payout.id and unmoved.outcome = 'paid')
    order by withdrawal.ended_at desc, withdrawal.id limit ${newestMax}`)
}

async function compare(
  { reader }: ComparedChain,
  parts: {
    readonly arrivals: readonly Arrival[]
    readonly contracts: ReadonlyMap<string, string | undefined>
  },
  signal: AbortSignal,
): Promise<Outcome> {
  const { arrivals, contracts } = parts
  const findings: string[] = []
  const remarks: string[] = []
  let examined = 0
  for (const [txHash, paid] of groupBy(arrivals, (arrival) => arrival.txHash)) {
    const sight = await lookAt(reader, txHash, paid[0]?.height, signal).catch(asUntold)
    if (sight instanceof NodeError) {
      remarks.push(`${txHash} could not be compared: ${sight.message}`)
      continue
    }
    examined += paid.length
    const unclaimed = movedBy(sight, reader.traits)
    for (const arrival of paid) {
      const due = keyOf({ ...arrival, contract: contracts.get(arrival.asset) })
      const place = unclaimed.indexOf(due)
      if (place >= 0) unclaimed.splice(place, 1)
      else findings.push(missing(arrival, sight))
    }
  }
  if (examined === 0 && remarks.length > 0) throw new NodeError(remarks[0])
  return { examined, findings: findings.slice(0, findingsMax), remarks: remarks.slice(0, findingsMax) }
}

/** By the block on which nodes agree, where one has it: of a single transaction the word of one node is taken. */
async function lookAt(
  reader: ComparedChain['reader'],
  txHash: string,
  height: number | undefined,
  signal: AbortSignal,
): Promise<TransactionSight> {
  const facts = height === undefined ? undefined : await reader.readBlock(height, signal)
  const transfers = facts?.transfers.filter((transfer) => transfer.txHash === txHash) ?? []
  if (facts !== undefined && transfers.length > 0) return { type: 'mined', block: facts.block, transfers }
  return reader.readTransaction(txHash, signal)
}

/** A node that is there and has not kept this block. One that is away, which its cause tells, is a finding. */
function asUntold(error: unknown): NodeError {
  if (isBadAnswer(error)) return error
  throw error
}

function movedBy(sight: TransactionSight, { hasOutpoints }: ChainTraits): string[] {
  if (sight.type !== 'mined') return []
  return sight.transfers.map(({ asset, sender = '', recipient, amountMinor }) =>
    keyOf({
      wallet: hasOutpoints ? null : sender,
      contract: asset.type === 'token' ? asset.contract : undefined,
      address: recipient,
      netMinor: amountMinor.toString(),
    }),
  )
}

function keyOf({
  wallet,
  contract = 'coin',
  address,
  netMinor,
}: Pick<Arrival, 'wallet' | 'address' | 'netMinor'> & { readonly contract: string | undefined }): string {
  return [wallet, contract, address, netMinor].join(' ')
}

function missing({ id, txHash, netMinor, asset, address }: Arrival, { type }: TransactionSight): string {
  const but = type === 'mined' ? 'moved something else' : `is ${type} at the node`
  return `withdrawal ${id} paid ${netMinor} ${asset} to ${address} by ${txHash}, which ${but}`
}
